// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';

/// Powers and logarithms to base 2 (docs/arithmetic.md, "Powers").
library Powers {
    int256 internal constant ONE = 1 << 30;
    /// log2(e) with 20 fractional bits.
    int256 internal constant LOG2_E = 1512775;

    /// 2^-value: the value is Q20 and not negative, the result Q30.
    function half(uint256 value) internal pure returns (int256) {
        unchecked {
            if (value == 0) return ONE;
            uint256 whole = value >> 20;
            if (whole > 30) return 0;
            return fraction((int256(value & 0xfffff) - 0x80000) << 10) >> whole;
        }
    }

    /// 2^-value: the value is Q30 and not negative, the result Q30.
    function halfFine(uint256 value) internal pure returns (int256) {
        unchecked {
            if (value == 0) return ONE;
            uint256 whole = value >> 30;
            if (whole > 30) return 0;
            return fraction(int256(value & 0x3fffffff) - 0x20000000) >> whole;
        }
    }

    /// 2^-(u + 1/2) for u within [-1/2, 1/2), both Q30: Taylor's series around one half.
    function fraction(int256 u) private pure returns (int256 sum) {
        unchecked {
            sum = 116951 - ((11581 * u) >> 30);
            sum = 1012351 - ((sum * u) >> 30);
            sum = 7302566 - ((sum * u) >> 30);
            sum = 42141501 - ((sum * u) >> 30);
            sum = 182392005 - ((sum * u) >> 30);
            sum = 526272083 - ((sum * u) >> 30);
            sum = 759250125 - ((sum * u) >> 30);
        }
    }

    /// -log2(value / 2^33) as Q30, for a value from 1 to 2^33 - 1. Each squaring of the mantissa, Q31, yields a bit.
    function negativeLog2(uint256 value) internal pure returns (uint256) {
        unchecked {
            uint256 length = FixedPoint.bitLength(value);
            uint256 mantissa = length > 32 ? value >> 1 : value << (32 - length);
            uint256 bits = 0;
            for (uint256 i = 0; i < 30; i++) {
                mantissa = (mantissa * mantissa) >> 31;
                bits <<= 1;
                if (mantissa >> 32 != 0) {
                    mantissa >>= 1;
                    bits |= 1;
                }
            }
            return ((34 - length) << 30) - bits;
        }
    }
}
