// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';
import {Gates} from './Gates.sol';
import {Powers} from './Powers.sol';

/// Attention over the positions that a head sees (docs/arithmetic.md, "Attention"): two passes over them, each a prefix that one
/// position continues.
library Attention {
    /// Shifts of 13-bit numbers.
    uint256 internal constant MOST_SHIFT = 28;

    error ShiftOutOfRange(uint256 shift);

    /// The score of a position, Q20, from the product of its query and key. `factor` is Q28, `cap` Q20 or 0 for no bound.
    function score(int256 product, uint256 queryShift, uint256 keyShift, int256 factor, int256 cap)
        internal
        pure
        returns (int256)
    {
        checkShift(queryShift);
        checkShift(keyShift);
        unchecked {
            int256 exact = FixedPoint.shiftRound(product * factor, 56 - queryShift - keyShift);
            return cap == 0 ? exact : Gates.softCap(exact, cap);
        }
    }

    /// The weight of a position, 24 bits; `most` is the largest score.
    function weight(int256 most, int256 score_) internal pure returns (uint256) {
        if (score_ > most) revert FixedPoint.OutOfRange(score_);
        unchecked {
            return uint256(Powers.half(uint256(most - score_)) >> 6);
        }
    }

    /// Adds a position to the sum of the weighted values: its weight, aligned to the largest shift of all values, times its value.
    function add(int256 sum, uint256 weight_, uint256 topShift, uint256 shift, int256 value)
        internal
        pure
        returns (int256)
    {
        checkShift(topShift);
        if (shift > topShift) revert ShiftOutOfRange(shift);
        unchecked {
            return sum + int256(weight_ >> (topShift - shift)) * value;
        }
    }

    /// The mean, Q24: sum / total * 2^shift, with ten more bits through the division. A register of the engine wraps from 65,536
    /// equal positions on.
    function mean(int256 sum, uint256 total, uint256 topShift) internal pure returns (int256) {
        checkShift(topShift);
        if (total == 0) revert FixedPoint.OutOfRange(0);
        unchecked {
            int256 quotient = FixedPoint.wrap(sum << 10) / int256(total);
            if (topShift >= 10) return FixedPoint.clamp(quotient << (topShift - 10));
            return FixedPoint.clamp(FixedPoint.shiftRound(quotient, 10 - topShift));
        }
    }

    function checkShift(uint256 shift) private pure {
        if (shift > MOST_SHIFT) revert ShiftOutOfRange(shift);
    }
}
