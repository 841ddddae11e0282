// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Storage} from './Storage.sol';
import {Delegation, Totals, Validator, WHOLE} from './Types.sol';

/// Sharing of income at a constant cost: by power among validators, after commission by shares among delegators. Each sum
/// only grows, and whoever takes part remembers how far it was. Divisions round down; what they leave stays in the contract.
abstract contract Rewards is Storage {
    /// Shares out what the balance has above everything that is held for somebody.
    function _shareIncome() internal {
        Totals storage totals = totals_;
        uint256 power = totals.power;
        uint256 held = uint256(totals.bonded) + totals.unbonding + totals.rewards;
        uint256 income = address(this).balance - held;
        if (income == 0 || power == 0) return;
        totals.rewards = _toUint128(totals.rewards + income);
        rewardPerPower += (income << 64) / power;
    }

    /// What a validator earned since it was settled: its commission, and the rest per share.
    function _earned(Validator storage validator) internal view returns (uint256 commission, uint256 perShare) {
        uint256 income = ((rewardPerPower - validator.settledAt) * validator.power) >> 64;
        uint256 shares = validator.shares;
        commission = shares == 0 ? income : (income * validator.commission) / WHOLE;
        if (commission < income) perShare = ((income - commission) << 128) / shares;
    }

    /// Brings a validator's sums up to date. Must come before its power, its shares or its commission change.
    function _settle(Validator storage validator) internal {
        if (validator.settledAt == rewardPerPower) return;
        (uint256 commission, uint256 perShare) = _earned(validator);
        validator.settledAt = rewardPerPower;
        if (commission > 0) validator.commissionOwed += uint128(commission);
        if (perShare > 0) validator.rewardPerShare += perShare;
    }

    /// Brings both up to date. Must come before the shares of the delegation change.
    function _settle(Validator storage validator, Delegation storage delegation) internal {
        _settle(validator);
        uint256 growth = validator.rewardPerShare - delegation.rewardPerShare;
        if (growth == 0) return;
        delegation.rewards += uint128((delegation.shares * growth) >> 128);
        delegation.rewardPerShare = validator.rewardPerShare;
    }

    /// Pays the caller the rewards of one delegation.
    function withdrawRewards(address operator) external returns (uint256 amount) {
        Delegation storage delegation = delegations_[msg.sender][operator];
        _settle(_validator(operator), delegation);
        amount = delegation.rewards;
        if (amount == 0) revert NothingToWithdraw();
        delegation.rewards = 0;
        totals_.rewards -= uint128(amount);
        emit RewardsWithdrawn(msg.sender, operator, amount);
        _pay(msg.sender, amount);
    }

    /// Pays the commission of the calling operator to its reward address.
    function withdrawCommission() external returns (uint256 amount) {
        Validator storage validator = _validator(msg.sender);
        _settle(validator);
        amount = validator.commissionOwed;
        if (amount == 0) revert NothingToWithdraw();
        validator.commissionOwed = 0;
        totals_.rewards -= uint128(amount);
        address to = rewardOf[_consensusAddress(validator.publicKey)];
        emit CommissionWithdrawn(msg.sender, to, amount);
        _pay(to, amount);
    }

    /// Rewards that a delegator could withdraw now.
    function rewardsOf(address delegator, address operator) external view returns (uint256) {
        Validator storage validator = _validator(operator);
        Delegation storage delegation = delegations_[delegator][operator];
        (, uint256 perShare) = _earned(validator);
        uint256 growth = validator.rewardPerShare + perShare - delegation.rewardPerShare;
        return delegation.rewards + ((delegation.shares * growth) >> 128);
    }

    /// Commission that an operator could withdraw now.
    function commissionOf(address operator) external view returns (uint256) {
        Validator storage validator = _validator(operator);
        (uint256 commission, ) = _earned(validator);
        return validator.commissionOwed + commission;
    }
}
