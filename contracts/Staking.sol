// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {verifyEd25519} from './staking/Ed25519.sol';
import {Upgrades} from './staking/Upgrades.sol';
import {Delegation, Member, Offence, Parameters, Totals, Unbonding, Validator, WHOLE} from './staking/Types.sol';

/// Who validates, with whose stake, and for what reward (D18, D20, D52). Pre-installed in genesis, which fills its state. At
/// the end of each block the application calls `endBlock`; everything else is a matter of transactions.
contract Staking is Upgrades {
    /// The caller of `endBlock`: nobody has its key.
    address private constant SYSTEM = 0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE;

    uint256 private constant COMMISSION_PERIOD = 1 days;
    uint256 private constant KEY_PERIOD = 1 days;

    /// Who proved to have a key, by its consensus address. From here on, after all that older versions of this contract keep.
    mapping(address consensus => address operator) public provenBy;

    /// Unix time of an operator's last change of its key.
    mapping(address operator => uint256 time) public keyChangedAt;

    event ConsensusKeyProven(address indexed operator, address indexed consensus, bytes32 publicKey);

    error InvalidKeyProof(bytes32 publicKey);
    error KeyNotProven(bytes32 publicKey);
    error KeyChangeTooEarly(uint256 allowedAt);

    /// The end of a block: `absent` did not sign the block before. Returns the validator set to come, which is never empty; no
    /// entries mean that nothing changed.
    function endBlock(address[] calldata absent, Offence[] calldata offences)
        external
        returns (Member[] memory members)
    {
        if (msg.sender != SYSTEM) revert NotSystem(msg.sender);
        // What is slashed below is shared out with the next block, when the punished have no power any more.
        _shareIncome();
        for (uint256 i = 0; i < absent.length; i++) _recordAbsence(operatorOf[absent[i]]);
        for (uint256 i = 0; i < offences.length; i++) _punish(offences[i]);
        if (totals_.isSetStale) members = _elect();
    }

    /// What a consensus key signs (Ed25519) to prove that an operator has it: of one chain, one contract and one operator.
    function keyProofMessage(address operator) public view returns (bytes32) {
        return keccak256(abi.encodePacked('Assay consensus key', block.chainid, address(this), operator));
    }

    /// Proves that the caller has a key, by its signature (R, S) of `keyProofMessage`. Nobody else can take the key then, and
    /// nobody can take one without this (D83).
    function proveKey(bytes32 publicKey, bytes32 r, bytes32 s) external {
        address consensus = _consensusAddress(publicKey);
        if (operatorOf[consensus] != address(0)) revert ConsensusKeyInUse(publicKey);
        if (!verifyEd25519(publicKey, r, s, keyProofMessage(msg.sender))) revert InvalidKeyProof(publicKey);
        provenBy[consensus] = msg.sender;
        emit ConsensusKeyProven(msg.sender, consensus, publicKey);
    }

    /// Makes the caller the operator of a new validator, with the payment as its first stake and a key that it proved to have.
    /// Rates are in basis points.
    function createValidator(
        bytes32 publicKey,
        address reward,
        uint16 commission,
        uint16 maxCommission,
        uint16 maxCommissionChange
    ) external payable {
        if (parameters_.maxValidators == 1) revert ClosedSet();
        Validator storage validator = validators_[msg.sender];
        if (validator.publicKey != 0) revert ValidatorExists(msg.sender);
        if (maxCommission > WHOLE) revert CommissionOutOfBounds(maxCommission, WHOLE);
        if (commission > maxCommission) revert CommissionOutOfBounds(commission, maxCommission);
        if (msg.value < parameters_.powerUnit) revert StakeTooSmall(msg.value, parameters_.powerUnit);
        address consensus = _takeKey(publicKey, reward);
        validator.publicKey = publicKey;
        validator.commission = commission;
        validator.maxCommission = maxCommission;
        validator.maxCommissionChange = maxCommissionChange;
        validator.settledAt = rewardPerPower;
        emit ValidatorCreated(msg.sender, consensus, publicKey, commission);
        _delegate(msg.sender);
    }

    /// Has another key sign for the calling operator, once a day; it must have proved to have it. The old one still answers for
    /// what it signed, and the validator for the blocks that it missed.
    function setConsensusKey(bytes32 publicKey) external {
        if (parameters_.maxValidators == 1) revert ClosedSet();
        Validator storage validator = _validator(msg.sender);
        if (validator.isTombstoned) revert AlreadyTombstoned(msg.sender);
        uint256 allowedAt = keyChangedAt[msg.sender] + KEY_PERIOD;
        if (block.timestamp < allowedAt) revert KeyChangeTooEarly(allowedAt);
        keyChangedAt[msg.sender] = block.timestamp;
        address consensus = _takeKey(publicKey, rewardOf[_consensusAddress(validator.publicKey)]);
        validator.publicKey = publicKey;
        if (validator.power != 0) totals_.isSetStale = true;
        emit ConsensusKeyChanged(msg.sender, consensus, publicKey);
    }

    function _takeKey(bytes32 publicKey, address reward) private returns (address consensus) {
        if (publicKey == 0) revert InvalidConsensusKey();
        if (reward == address(0)) revert InvalidRewardAddress();
        consensus = _consensusAddress(publicKey);
        if (operatorOf[consensus] != address(0)) revert ConsensusKeyInUse(publicKey);
        if (provenBy[consensus] != msg.sender) revert KeyNotProven(publicKey);
        operatorOf[consensus] = msg.sender;
        rewardOf[consensus] = reward;
    }

    /// Sets the commission of the calling operator, within its bounds and once a day.
    function setCommission(uint16 commission) external {
        Validator storage validator = _validator(msg.sender);
        uint16 current = validator.commission;
        if (commission > validator.maxCommission) revert CommissionOutOfBounds(commission, validator.maxCommission);
        uint16 change = commission > current ? commission - current : current - commission;
        if (change > validator.maxCommissionChange)
            revert CommissionChangeTooLarge(change, validator.maxCommissionChange);
        uint256 allowedAt = validator.commissionChangedAt + COMMISSION_PERIOD;
        if (block.timestamp < allowedAt) revert CommissionChangeTooEarly(allowedAt);
        _settle(validator);
        validator.commission = commission;
        validator.commissionChangedAt = uint64(block.timestamp);
        emit CommissionChanged(msg.sender, current, commission);
    }

    /// Sets who receives the tips of a validator's blocks, and its commission.
    function setReward(address consensus, address reward) external {
        address operator = operatorOf[consensus];
        if (msg.sender != operator) revert NotOperator(msg.sender, operator);
        if (reward == address(0)) revert InvalidRewardAddress();
        emit RewardChanged(consensus, rewardOf[consensus], reward);
        rewardOf[consensus] = reward;
    }

    function parameters() external view returns (Parameters memory) {
        return parameters_;
    }

    function totals() external view returns (Totals memory) {
        return totals_;
    }

    function validatorOf(address operator) external view returns (Validator memory) {
        return validators_[operator];
    }

    function delegationOf(address delegator, address operator) external view returns (Delegation memory) {
        return delegations_[delegator][operator];
    }

    function unbondingsOf(address delegator) external view returns (Unbonding[] memory) {
        return unbondings_[delegator];
    }

    /// Operators of the set last returned, by stake.
    function validatorSet() external view returns (address[] memory) {
        return set_;
    }

    /// Operators among which the set is elected.
    function candidates() external view returns (address[] memory) {
        return candidates_;
    }
}
