// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';

/// Floating-point numbers of a model file as integers (docs/arithmetic.md, "Numbers of a file").
library Numbers {
    /// An infinity, NaN, or a number beyond the range of half precision: no model that has it can be loaded.
    error NotANumber(uint256 bits);

    /// Half precision times 2^24, which is exact.
    function fromHalf(uint256 bits) internal pure returns (int256) {
        unchecked {
            uint256 exponent = (bits >> 10) & 31;
            uint256 digits = bits & 1023;
            if (exponent == 31) revert NotANumber(bits);
            int256 magnitude = int256(exponent == 0 ? digits : (1024 + digits) << (exponent - 1));
            return bits & 0x8000 != 0 ? -magnitude : magnitude;
        }
    }

    /// Single precision times 2^shift, rounded to the nearest integer, halves upwards. The number is below 65,536 in size.
    function fromSingle(uint256 bits, uint256 shift) internal pure returns (int256) {
        unchecked {
            uint256 exponent = (bits >> 23) & 255;
            uint256 digits = bits & 0x7fffff;
            if (exponent >= 143) revert NotANumber(bits);
            int256 value = int256(exponent == 0 ? digits : digits | 0x800000);
            if (bits & 0x80000000 != 0) value = -value;
            // The value is digits * 2^(exponent - 150), or 2^-149 for exponent 0.
            int256 power = int256((exponent == 0 ? 1 : exponent) + shift) - 150;
            return power >= 0 ? value << uint256(power) : FixedPoint.shiftRound(value, uint256(-power));
        }
    }

    /// Reads a little-endian number of 2 bytes from the calldata.
    function two(uint256 place) internal pure returns (uint256 value) {
        assembly ("memory-safe") {
            let word := calldataload(place)
            value := or(byte(0, word), shl(8, byte(1, word)))
        }
    }

    /// Reads a little-endian number of 4 bytes from the calldata.
    function four(uint256 place) internal pure returns (uint256 value) {
        unchecked {
            return two(place) | (two(place + 2) << 16);
        }
    }
}
