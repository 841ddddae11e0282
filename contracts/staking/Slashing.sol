// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Election} from './Election.sol';
import {Delegation, MAX_ABSENCE_SLASH, Offence, Parameters, Validator, WHOLE} from './Types.sol';

/// Punishment. What is slashed becomes income of those who validate. Bonded stake pays at once; stake that left a validator
/// pays when it is next touched, which anybody may bring about: so an offence costs the same, however many left.
abstract contract Slashing is Election {
    /// Blocks after which a change of stake has changed who signs.
    uint64 private constant SET_DELAY = 2;

    /// Counts a block that a validator did not sign. Too many in one window: it is slashed, and out for a while.
    function _recordAbsence(address operator) internal {
        Validator storage validator = validators_[operator];
        // It signs for two more blocks after it was sent out.
        if (validator.publicKey == 0 || validator.isJailed || validator.power == 0) return;
        Parameters storage parameters = parameters_;
        uint64 window = uint64(block.number) / parameters.signedWindow;
        if (validator.window != window) {
            validator.window = window;
            validator.missed = 0;
        }
        validator.missed++;
        if (validator.missed <= parameters.maxMissed) return;
        validator.missed = 0;
        // Genesis of an older chain may say more (D84).
        uint256 fraction = parameters.absenceSlash;
        _slash(operator, validator, fraction > MAX_ABSENCE_SLASH ? MAX_ABSENCE_SLASH : fraction);
        _jail(operator, validator, uint64(block.timestamp) + parameters.jailTime);
    }

    /// Two signatures for one height: slashed, and out for ever. A second offence of the same validator changes nothing.
    function _punish(Offence calldata offence) internal {
        address operator = operatorOf[offence.consensus];
        Validator storage validator = validators_[operator];
        if (validator.publicKey == 0 || validator.isTombstoned) return;
        if (block.timestamp > offence.time + parameters_.unbondingTime) return;
        validator.isTombstoned = true;
        validator.infractionHeight = offence.height;
        validator.slashHeight = uint64(block.number);
        _slash(operator, validator, parameters_.doubleSignSlash);
        _jail(operator, validator, type(uint64).max);
        emit Tombstoned(operator, offence.height);
    }

    function _jail(address operator, Validator storage validator, uint64 until) private {
        validator.isJailed = true;
        validator.jailedUntil = until;
        _reconsider(operator, validator);
        emit Jailed(operator, until);
    }

    function _slash(address operator, Validator storage validator, uint256 fraction) private {
        uint128 amount = uint128((validator.tokens * fraction) / WHOLE);
        validator.tokens -= amount;
        totals_.bonded -= amount;
        emit Slashed(operator, amount);
    }

    /// What of an amount is lost that left a validator at a height: nothing, unless it stood behind the double sign and left
    /// before the punishment.
    function _slashOf(address operator, uint64 leftAt, uint256 amount) internal view returns (uint256) {
        Validator storage validator = validators_[operator];
        bool answers = validator.isTombstoned &&
            leftAt + SET_DELAY > validator.infractionHeight &&
            leftAt <= validator.slashHeight;
        return answers ? (amount * parameters_.doubleSignSlash) / WHOLE : 0;
    }

    /// Slashes shares that came by a redelegation, where they answer for the validator that they came from, and frees them
    /// when their time is over. The delegation is settled already.
    function _enforceLock(
        address delegator,
        address operator,
        Validator storage validator,
        Delegation storage delegation
    ) internal {
        uint256 locked = delegation.lockedShares;
        if (locked == 0) return;
        uint256 lost = _slashOf(delegation.lockedFrom, delegation.lockedAt, locked);
        if (lost > 0) {
            uint256 amount = (lost * validator.tokens) / validator.shares;
            delegation.shares -= uint128(lost);
            validator.shares -= uint128(lost);
            validator.tokens -= uint128(amount);
            totals_.bonded -= uint128(amount);
            emit RedelegationSlashed(delegator, operator, amount);
            _reconsider(operator, validator);
        } else if (block.timestamp < delegation.lockedUntil) {
            return;
        }
        delegation.lockedShares = 0;
        delegation.lockedAt = 0;
        delegation.lockedUntil = 0;
        delegation.lockedFrom = address(0);
    }

    /// Has a delegation pay what it owes after a redelegation. Anybody may ask.
    function enforce(address delegator, address operator) external {
        Validator storage validator = _validator(operator);
        Delegation storage delegation = delegations_[delegator][operator];
        _settle(validator, delegation);
        _enforceLock(delegator, operator, validator, delegation);
    }

    /// Back from jail, asked for by the operator.
    function unjail() external {
        Validator storage validator = _validator(msg.sender);
        if (validator.isTombstoned) revert AlreadyTombstoned(msg.sender);
        if (!validator.isJailed) revert NotJailed(msg.sender);
        if (block.timestamp < validator.jailedUntil) revert StillJailed(validator.jailedUntil);
        validator.isJailed = false;
        validator.jailedUntil = 0;
        emit Unjailed(msg.sender);
        _reconsider(msg.sender, validator);
    }
}
