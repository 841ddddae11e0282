// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Slashing} from './Slashing.sol';
import {Delegation, Unbonding, Validator} from './Types.sol';

/// Stake going in, from one validator to another, and out.
abstract contract Delegations is Slashing {
    /// Puts the payment behind a validator.
    function delegate(address operator) external payable {
        _delegate(operator);
    }

    function _delegate(address operator) internal {
        Validator storage validator = _validator(operator);
        Delegation storage delegation = delegations_[msg.sender][operator];
        _settle(validator, delegation);
        uint256 shares = _putIn(operator, validator, delegation, msg.value);
        totals_.bonded = _toUint128(totals_.bonded + msg.value);
        emit Delegated(msg.sender, operator, msg.value, shares);
    }

    /// Takes shares out. Their worth can be withdrawn after the unbonding time; until then it may still be slashed.
    function undelegate(address operator, uint256 shares) external returns (uint256 amount) {
        amount = _takeOut(operator, shares);
        totals_.bonded -= uint128(amount);
        totals_.unbonding += uint128(amount);
        uint64 completesAt = uint64(block.timestamp) + parameters_.unbondingTime;
        unbondings_[msg.sender].push(Unbonding(operator, uint64(block.number), uint128(amount), completesAt));
        emit Undelegated(msg.sender, operator, amount, shares, completesAt);
    }

    /// Moves shares at once. For the unbonding time they answer for both validators, and stay where they are.
    function redelegate(address from, address to, uint256 shares) external returns (uint256 amount) {
        if (from == to) revert SameValidator(to);
        amount = _takeOut(from, shares);
        Validator storage validator = _validator(to);
        Delegation storage delegation = delegations_[msg.sender][to];
        _settle(validator, delegation);
        _enforceLock(msg.sender, to, validator, delegation);
        if (delegation.lockedShares > 0) revert RedelegationPending(delegation.lockedUntil);
        uint256 received = _putIn(to, validator, delegation, amount);
        delegation.lockedShares = uint128(received);
        delegation.lockedAt = uint64(block.number);
        delegation.lockedUntil = uint64(block.timestamp) + parameters_.unbondingTime;
        delegation.lockedFrom = from;
        emit Redelegated(msg.sender, from, to, amount, received);
    }

    /// Pays one entry of `unbondingsOf`; the last entry takes its index.
    function withdrawUnbonded(uint256 index) external returns (uint256 amount) {
        Unbonding[] storage entries = unbondings_[msg.sender];
        if (index >= entries.length) revert NoSuchUnbonding(index);
        Unbonding memory entry = entries[index];
        if (block.timestamp < entry.completesAt) revert StillUnbonding(entry.completesAt);
        entries[index] = entries[entries.length - 1];
        entries.pop();
        uint256 slashed = _slashOf(entry.validator, entry.startHeight, entry.amount);
        amount = entry.amount - slashed;
        totals_.unbonding -= entry.amount;
        emit UnbondedWithdrawn(msg.sender, entry.validator, amount, slashed);
        _pay(msg.sender, amount);
    }

    /// Shares for an amount, at what they are worth. The delegation is settled already.
    function _putIn(address operator, Validator storage validator, Delegation storage delegation, uint256 amount)
        private
        returns (uint256 shares)
    {
        if (validator.isTombstoned) revert AlreadyTombstoned(operator);
        uint256 tokens = validator.tokens;
        if (validator.shares == 0) shares = amount;
        else if (tokens == 0) revert WorthlessShares(operator);
        else shares = (amount * validator.shares) / tokens;
        if (shares == 0) revert StakeTooSmall(amount, 1);
        delegation.shares = _toUint128(delegation.shares + shares);
        validator.shares = _toUint128(validator.shares + shares);
        validator.tokens = _toUint128(tokens + amount);
        _reconsider(operator, validator);
    }

    /// The worth of the caller's shares, which are gone. Those that still answer for another validator stay.
    function _takeOut(address operator, uint256 shares) private returns (uint256 amount) {
        Validator storage validator = _validator(operator);
        Delegation storage delegation = delegations_[msg.sender][operator];
        _settle(validator, delegation);
        _enforceLock(msg.sender, operator, validator, delegation);
        uint256 available = delegation.shares - delegation.lockedShares;
        if (shares > available) revert NotEnoughShares(shares, available);
        if (shares == 0) revert StakeTooSmall(0, 1);
        amount = (shares * validator.tokens) / validator.shares;
        delegation.shares -= uint128(shares);
        validator.shares -= uint128(shares);
        validator.tokens -= uint128(amount);
        _reconsider(operator, validator);
    }
}
