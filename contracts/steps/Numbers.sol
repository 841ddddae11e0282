// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';

/// Floating-point numbers of a model file as integers (docs/arithmetic.md, "Numbers of a file").
library Numbers {
    /// An infinity, NaN, or a number beyond the range of half precision: no model that has it can be loaded.
    error NotANumber(uint256 bits);

    /// Half precision times 2^24, which is exact.
    function fromHalf(uint256 bits) internal pure returns (int256 value) {
        if (bits & 0x7c00 == 0x7c00) revert NotANumber(bits);
        assembly ("memory-safe") {
            let exponent := and(shr(10, bits), 31)
            value := and(bits, 1023)
            if exponent { value := shl(sub(exponent, 1), or(value, 1024)) }
            if and(bits, 0x8000) { value := sub(0, value) }
        }
    }

    /// Single precision times 2^shift, rounded to the nearest integer, halves upwards. The number is below 65,536 in size.
    function fromSingle(uint256 bits, uint256 shift) internal pure returns (int256 value) {
        unchecked {
            uint256 exponent = (bits >> 23) & 255;
            if (exponent >= 143) revert NotANumber(bits);
            value = int256(bits & 0x7fffff);
            if (exponent == 0) exponent = 1;
            else value |= 0x800000;
            if (bits & 0x80000000 != 0) value = -value;
            // The value is that times 2^(exponent - 150).
            exponent += shift;
            return exponent >= 150 ? value << (exponent - 150) : FixedPoint.shiftRound(value, 150 - exponent);
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
        assembly ("memory-safe") {
            let word := calldataload(place)
            value := or(or(byte(0, word), shl(8, byte(1, word))), or(shl(16, byte(2, word)), shl(24, byte(3, word))))
        }
    }
}
