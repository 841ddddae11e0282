// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';
import {Powers} from './Powers.sol';

/// Functions of single numbers (docs/arithmetic.md, "Gates" and "Soft bounds").
library Gates {
    /// 0.044715 with 30 fractional bits.
    int256 private constant CUBIC = 48012366;
    /// 2 * sqrt(2 / pi) * log2(e) with 28 fractional bits.
    int256 private constant SLOPE = 617994307;
    /// From here on GELU is the number itself, or 0.
    int256 private constant FLAT = 8 << 24;
    /// 2 * log2(e) with 26 fractional bits.
    int256 private constant TWO_LOG2_E = 193635251;

    /// x * sigmoid(x).
    function silu(int256 x) internal pure returns (int256) {
        unchecked {
            int256 size = int256(FixedPoint.size(FixedPoint.checked(x)));
            int256 power = Powers.half(uint256(size * Powers.LOG2_E) >> FixedPoint.FRACTION);
            int256 sigmoid = ((x < 0 ? power : Powers.ONE) << 22) / (Powers.ONE + power);
            return FixedPoint.shiftRound(x * sigmoid, 22);
        }
    }

    /// x * sigmoid(2 * sqrt(2 / pi) * (x + 0.044715 * x^3)).
    function gelu(int256 x) internal pure returns (int256) {
        unchecked {
            int256 size = int256(FixedPoint.size(FixedPoint.checked(x)));
            if (size >= FLAT) return x < 0 ? int256(0) : x;
            int256 cube = (((size * size) >> FixedPoint.FRACTION) * size) >> FixedPoint.FRACTION;
            int256 inner = size + ((cube * CUBIC) >> 30);
            int256 power = Powers.halfFine(uint256(inner * SLOPE) >> 22);
            int256 sigmoid = ((x < 0 ? power : Powers.ONE) << 30) / (Powers.ONE + power);
            return FixedPoint.shiftRound(x * sigmoid, 30);
        }
    }

    /// cap * tanh(value / cap), both with the same number of fractional bits; the cap is from 1 to 2^31.
    function softCap(int256 value, int256 cap) internal pure returns (int256) {
        if (cap < 1 || cap > 1 << 31) revert FixedPoint.OutOfRange(cap);
        unchecked {
            int256 size = int256(FixedPoint.size(value));
            if (size >= cap << 4) return value < 0 ? -cap : cap;
            int256 ratio = (size << 27) / cap;
            int256 power = Powers.halfFine(uint256(ratio * TWO_LOG2_E) >> 23);
            int256 bounded = (cap * (Powers.ONE - power)) / (Powers.ONE + power);
            return value < 0 ? -bounded : bounded;
        }
    }
}
