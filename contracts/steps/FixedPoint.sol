// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Numbers of the integer engine (docs/arithmetic.md, D161): integers with 24 fractional bits ("Q24"), at most 2^40 in size. Right
/// shifts round down, divisions towards zero.
library FixedPoint {
    uint256 internal constant FRACTION = 24;
    int256 internal constant LIMIT = 1 << 40;

    /// No step of the engine makes this number: the step that it comes from is the wrong one.
    error OutOfRange(int256 value);

    /// The number itself. Reverts for one beyond the bound.
    function checked(int256 value) internal pure returns (int256) {
        if (value > LIMIT || value < -LIMIT) revert OutOfRange(value);
        return value;
    }

    /// Saturates at the bound.
    function clamp(int256 value) internal pure returns (int256) {
        if (value > LIMIT) return LIMIT;
        return value < -LIMIT ? -LIMIT : value;
    }

    /// The size of a number of at most 64 bits.
    function size(int256 value) internal pure returns (uint256) {
        unchecked {
            return uint256(value < 0 ? -value : value);
        }
    }

    /// The number modulo 2^64, from -2^63 on: what a register of the engine holds.
    function wrap(int256 value) internal pure returns (int256) {
        return int256(int64(value));
    }

    /// Number of significant bits; 0 has none.
    function bitLength(uint256 value) internal pure returns (uint256 length) {
        unchecked {
            for (uint256 half = 128; half > 0; half >>= 1) {
                if (value >> half == 0) continue;
                value >>= half;
                length += half;
            }
            return length + value;
        }
    }

    /// value / 2^shift, rounded to the nearest, halves upwards.
    function shiftRound(int256 value, uint256 shift) internal pure returns (int256) {
        unchecked {
            return shift == 0 ? value : (value + (int256(1) << (shift - 1))) >> shift;
        }
    }

    /// value * 2^shift within the bound; a negative shift divides and rounds.
    function scale(int256 value, int256 shift) internal pure returns (int256) {
        unchecked {
            if (shift <= 0) return clamp(shiftRound(value, uint256(-shift)));
            return clamp(value << uint256(shift));
        }
    }

    /// The product of two Q24 numbers within the bound, as Q24. The larger factor loses its lowest bits, at most 20, so that
    /// the product has at most 62.
    function multiply(int256 a, int256 b) internal pure returns (int256) {
        unchecked {
            (uint256 first, uint256 second) = (size(a), size(b));
            uint256 bits = bitLength(first) + bitLength(second);
            if (bits <= 62) return clamp(shiftRound(a * b, FRACTION));
            uint256 excess = bits - 62;
            if (first > second) a >>= excess;
            else b >>= excess;
            return clamp(shiftRound(a * b, FRACTION - excess));
        }
    }

    /// The largest integer whose square does not exceed the value, which is below 2^127.
    function squareRoot(uint256 value) internal pure returns (uint256 root) {
        unchecked {
            for (uint256 bit = 1 << ((bitLength(value) + 1) >> 1); bit != 0; bit >>= 1) {
                uint256 next = root | bit;
                if (next * next <= value) root = next;
            }
        }
    }
}
