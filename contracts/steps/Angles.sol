// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';

/// The table of rotary angles (docs/arithmetic.md, "Angles"): integers with 96 fractional bits ("Q96").
library Angles {
    uint256 private constant BITS = 96;
    int256 private constant ONE = 1 << 96;
    uint256 private constant ANGLE = 22;
    uint256 private constant GAIN_BITS = 30;

    /// The base, the size or the divisor is none of a model.
    error WrongAngle();

    /// Cosine and sine of a pair at position 1: of base^(-2 * pair / size) / divisor. The base is Q24 and from 1 on, the divisor
    /// times 2^23 and from 1 to 2^16.
    function first(uint256 base, uint256 size, uint256 pair, uint256 divisor)
        internal
        pure
        returns (int256 cos, int256 sin)
    {
        if (base < 1 << 24 || base >= 1 << 64 || size > 1 << 15 || 2 * uint128(pair) >= size) revert WrongAngle();
        if (divisor < 1 << 23 || divisor > 1 << 39) revert WrongAngle();
        unchecked {
            int256 exponent = -(naturalLog(base) * int256(2 * pair)) / int256(size);
            return cosineAndSine((power(exponent) << 23) / int256(divisor));
        }
    }

    /// Cosine and sine at the next position: one rotation further.
    function next(int256 cos, int256 sin, int256 stepCos, int256 stepSin) internal pure returns (int256, int256) {
        unchecked {
            return ((cos * stepCos - sin * stepSin) >> BITS, (sin * stepCos + cos * stepSin) >> BITS);
        }
    }

    /// A number of the table, Q22: a cosine or sine times the gain (Q30, from 1 to 16).
    function entry(int256 value, uint256 gain) internal pure returns (int256) {
        unchecked {
            return FixedPoint.shiftRound(value * int256(gain), BITS + GAIN_BITS - ANGLE);
        }
    }

    /// ln of a Q24 number from 1 on.
    function naturalLog(uint256 value) private pure returns (int256) {
        unchecked {
            uint256 whole = FixedPoint.bitLength(value) - 1;
            int256 x = int256(value << (BITS - whole));
            return 2 * inverseTanh(((x - ONE) << BITS) / (x + ONE)) + int256(whole - 24) * 2 * inverseTanh(ONE / 3);
        }
    }

    /// The series of artanh, for 0 to 1/3.
    function inverseTanh(int256 x) private pure returns (int256 sum) {
        unchecked {
            int256 square = (x * x) >> BITS;
            int256 term = x;
            for (int256 i = 1; term != 0; i += 2) {
                sum += term / i;
                term = (term * square) >> BITS;
            }
        }
    }

    /// e^x for x <= 0: by the series at x / 2^6, squared six times.
    function power(int256 x) private pure returns (int256 sum) {
        unchecked {
            int256 small = x >> 6;
            int256 term = ONE;
            for (int256 i = 1; term != 0 && term != -1; i++) {
                sum += term;
                term = ((term * small) >> BITS) / i;
            }
            for (uint256 i = 0; i < 6; i++) sum = (sum * sum) >> BITS;
        }
    }

    /// Of an angle from 0 to 1.
    function cosineAndSine(int256 angle) private pure returns (int256 cos, int256 sin) {
        unchecked {
            int256 square = (angle * angle) >> BITS;
            return (series(ONE, 1, square), series(angle, 2, square));
        }
    }

    function series(int256 term, int256 start, int256 square) private pure returns (int256 sum) {
        unchecked {
            for (int256 i = start; term != 0 && term != -1; i += 2) {
                sum += term;
                term = -((term * square) >> BITS) / (i * (i + 1));
            }
        }
    }
}
