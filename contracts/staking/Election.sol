// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Rewards} from './Rewards.sol';
import {Member, Validator} from './Types.sol';

/// Who validates. Candidates are bounded in number, so that an election costs at most so much, whoever makes validators.
abstract contract Election is Rewards {
    /// Most power of one validator: a hundred of them stay far below what CometBFT can add up.
    uint64 internal constant MAX_POWER = 1 << 52;

    function _powerOf(uint256 tokens) internal view returns (uint64) {
        uint256 power = tokens / parameters_.powerUnit;
        return power > MAX_POWER ? MAX_POWER : uint64(power);
    }

    /// Lets a validator in among the candidates, or out, after its stake or its standing changed.
    function _reconsider(address operator, Validator storage validator) internal {
        uint64 power = validator.isJailed || validator.isTombstoned ? 0 : _powerOf(validator.tokens);
        if (power == 0) {
            if (validator.place != 0) _leave(validator);
        } else if (validator.place == 0) {
            _enter(operator, validator);
        }
        if (power != validator.power) totals_.isSetStale = true;
    }

    /// Takes a free place, or that of the candidate with the least stake where this one has more.
    function _enter(address operator, Validator storage validator) private {
        uint256 count = candidates_.length;
        if (count < 2 * uint256(parameters_.maxValidators)) {
            candidates_.push(operator);
            validator.place = uint32(count + 1);
            return;
        }
        uint256 least = validator.tokens;
        Validator storage weakest = validator;
        for (uint256 i = 0; i < count; i++) {
            Validator storage candidate = validators_[candidates_[i]];
            if (candidate.tokens >= least) continue;
            least = candidate.tokens;
            weakest = candidate;
        }
        uint32 place = weakest.place;
        if (place == 0) return;
        weakest.place = 0;
        validator.place = place;
        candidates_[place - 1] = operator;
    }

    function _leave(Validator storage validator) private {
        uint256 at = validator.place - 1;
        address last = candidates_[candidates_.length - 1];
        candidates_[at] = last;
        validators_[last].place = uint32(at + 1);
        candidates_.pop();
        validator.place = 0;
    }

    /// The candidates with the most stake, in that order; among equals the one that stands first.
    function _strongest() private view returns (address[] memory elected) {
        uint256 count = candidates_.length;
        uint256 room = parameters_.maxValidators;
        elected = new address[](count < room ? count : room);
        uint256[] memory stakes = new uint256[](elected.length);
        uint256 filled = 0;
        for (uint256 i = 0; i < count; i++) {
            address operator = candidates_[i];
            uint256 stake = validators_[operator].tokens;
            if (filled == elected.length) {
                if (stake <= stakes[filled - 1]) continue;
            } else {
                filled++;
            }
            uint256 at = filled - 1;
            for (; at > 0 && stakes[at - 1] < stake; at--) {
                stakes[at] = stakes[at - 1];
                elected[at] = elected[at - 1];
            }
            stakes[at] = stake;
            elected[at] = operator;
        }
    }

    /// Elects the next set and gives it its powers. Where nobody can be elected, the set stays and the answer is empty.
    function _elect() internal returns (Member[] memory members) {
        totals_.isSetStale = false;
        address[] memory elected = _strongest();
        if (elected.length == 0) return members;
        members = new Member[](elected.length);
        bool[] memory isElected = new bool[](candidates_.length);
        uint64 total = 0;
        for (uint256 i = 0; i < elected.length; i++) {
            Validator storage validator = validators_[elected[i]];
            uint64 power = _powerOf(validator.tokens);
            _setPower(validator, power);
            isElected[validator.place - 1] = true;
            total += power;
            members[i] = Member(validator.publicKey, power);
        }
        for (uint256 i = 0; i < set_.length; i++) {
            Validator storage validator = validators_[set_[i]];
            if (validator.place == 0 || !isElected[validator.place - 1]) _setPower(validator, 0);
        }
        totals_.power = total;
        set_ = elected;
    }

    function _setPower(Validator storage validator, uint64 power) private {
        if (validator.power == power) return;
        _settle(validator);
        validator.power = power;
    }

    /// Has a validator considered again, for instance when a place became free. Anybody may ask.
    function reconsider(address operator) external {
        _reconsider(operator, _validator(operator));
    }
}
