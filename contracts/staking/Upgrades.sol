// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Delegations} from './Delegations.sol';
import {Upgrade} from './Types.sol';

/// Changes of the network's rules, decided by the validators: from a height on, a contract has other code, or the EVM other
/// rules. The node reads `upgradeAt_` at the beginning of each block.
abstract contract Upgrades is Delegations {
    mapping(uint64 height => Upgrade) internal upgradeAt_;

    /// How often something was decided for a height: approvals count for one decision.
    mapping(uint64 height => uint64) public decisions;
    mapping(bytes32 proposal => mapping(address operator => bool)) private isApproved_;

    /// Every height for which something was decided, once. Last, so that an older contract's storage stays in its places.
    uint64[] internal decidedHeights_;

    event UpgradeApproved(
        address indexed operator, uint64 indexed height, uint64 rules, address target, address source, uint256 power
    );
    event UpgradeDecided(uint64 indexed height, uint64 rules, address target, bytes32 codeHash);

    error NotInSet(address operator);
    error HeightPassed(uint64 height);
    error NoCode(address source);

    /// Approves of an upgrade at a height that is to come. It is decided once those who approved have more than two thirds of
    /// the power; another decision for the same height takes its place, and one without rules and target cancels it. `rules`:
    /// version of the EVM's rules, 0 keeps them. `target` gets the code that `source` has now, if `source` still has it then; the
    /// zero address changes none.
    function approveUpgrade(uint64 height, uint64 rules, address target, address source) external {
        if (validators_[msg.sender].power == 0) revert NotInSet(msg.sender);
        if (height <= block.number) revert HeightPassed(height);
        Upgrade memory upgrade =
            target == address(0) ? Upgrade(rules, target, 0, target) : Upgrade(rules, target, source.codehash, source);
        // The code of an account that delegates (EIP-7702) could change until then.
        if (target != address(0) && (source.code.length == 0 || source.code[0] == 0xef)) revert NoCode(source);
        bytes32 proposal = keccak256(abi.encode(height, decisions[height], upgrade));
        isApproved_[proposal][msg.sender] = true;
        uint256 power = _powerBehind(proposal);
        emit UpgradeApproved(msg.sender, height, rules, target, source, power);
        if (3 * power <= 2 * uint256(totals_.power)) return;
        if (decisions[height] == 0) decidedHeights_.push(height);
        decisions[height]++;
        upgradeAt_[height] = upgrade;
        emit UpgradeDecided(height, rules, target, upgrade.codeHash);
    }

    function _powerBehind(bytes32 proposal) private view returns (uint256 power) {
        for (uint256 i = 0; i < set_.length; i++)
            if (isApproved_[proposal][set_[i]]) power += validators_[set_[i]].power;
    }

    /// Every height for which something was ever decided; what is done has no upgrade any more.
    function decidedHeights() external view returns (uint64[] memory) {
        return decidedHeights_;
    }

    /// What is decided for a height to come.
    function upgradeAt(uint64 height) external view returns (Upgrade memory) {
        return upgradeAt_[height];
    }
}
