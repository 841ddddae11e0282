// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Dot} from './Dot.sol';
import {Numbers} from './Numbers.sol';
import {Rows} from './Rows.sol';
import {Vectors} from './Vectors.sol';

/// Rows of plain numbers, F32, F16 or BF16 (docs/arithmetic.md, "Plain numbers"): each number times 2^24 is written to base 256
/// with digits of -128 to 127, counted from the lowest bit that its block of 32 uses. Digit n is a weight of part n.
library PlainRows {
    uint256 internal constant F32 = 0;
    uint256 internal constant F16 = 1;
    uint256 internal constant BF16 = 30;

    /// Digits that a block may use; with more its last scale is above 2^30.
    uint256 private constant DIGITS = 4;

    uint256 private constant BYTE_SIGNS = 0x8080808080808080808080808080808080808080808080808080808080808080;

    /// A block spans too many bits: no model that has it can be loaded.
    error BlockTooWide(uint256 bit);

    function isPlain(uint256 encoding) internal pure returns (bool) {
        return encoding == F32 || encoding == F16 || encoding == BF16;
    }

    function bytesOf(uint256 encoding, uint256 count) internal pure returns (uint256) {
        return encoding == F32 ? 4 * count : 2 * count;
    }

    /// Number `index` from `source` in the calldata on, times 2^24.
    function read(uint256 encoding, uint256 source, uint256 index) internal pure returns (int256) {
        unchecked {
            if (encoding == F32) return Numbers.fromSingle(Numbers.four(source + 4 * index), 24);
            uint256 bits = Numbers.two(source + 2 * index);
            return encoding == F16 ? Numbers.fromHalf(bits) : Numbers.fromSingle(bits << 16, 24);
        }
    }

    /// Adds a segment to the parts.
    function addBlocks(uint256 encoding, bytes calldata row, bytes calldata activations, int256[4] memory parts)
        internal
        pure
    {
        unchecked {
            Vectors.checkLength(activations, 64);
            uint256 expected = bytesOf(encoding, activations.length / 2);
            if (row.length != expected) revert Rows.WrongRow(row.length, expected);
            uint256 from;
            uint256 place;
            assembly {
                from := row.offset
                place := activations.offset
            }
            uint256[4] memory sums;
            uint256 step = bytesOf(encoding, 32);
            for (uint256 end = from + row.length; from < end; from += step) {
                addBlock(encoding, from, place, parts, sums);
                place += 64;
            }
            for (uint256 i = 0; i < DIGITS; i++) {
                if (sums[i] > Rows.MOST_SCALES) revert Rows.ScalesTooLarge(sums[i]);
            }
        }
    }

    function addBlock(
        uint256 encoding,
        uint256 from,
        uint256 place,
        int256[4] memory parts,
        uint256[4] memory sums
    ) private pure {
        unchecked {
            (uint256[4] memory digits, uint256 zeros) = split(encoding, from);
            for (uint256 i = 0; i < DIGITS; i++) {
                if (digits[i] == 0) continue;
                uint256 bit = zeros + 8 * i;
                if (bit > 30) revert BlockTooWide(bit);
                (int256 first, int256 second,) = Dot.block32(digits[i], place);
                parts[i] += (first + second) << bit;
                sums[i] += 1 << bit;
            }
        }
    }

    /// The digits of 32 numbers, each as 32 signed bytes, and how many zero bits all of them end with.
    function split(uint256 encoding, uint256 from) private pure returns (uint256[4] memory digits, uint256 zeros) {
        unchecked {
            int256[32] memory values;
            int256 all = 0;
            for (uint256 i = 0; i < 32; i++) {
                int256 value = read(encoding, from, i);
                assembly ("memory-safe") {
                    mstore(add(values, shl(5, i)), value)
                }
                all |= value;
            }
            if (all == 0) return (digits, 0);
            while ((all >> zeros) & 1 == 0) zeros++;
            if (pack(values, zeros, digits) != 0) revert BlockTooWide(zeros + 8 * DIGITS);
        }
    }

    /// Writes the digits of numbers, and returns 0 if these were all. With 128 more in every digit, they are the bytes of a number.
    function pack(int256[32] memory values, uint256 zeros, uint256[4] memory digits) private pure returns (uint256 rest) {
        assembly ("memory-safe") {
            let first := 0
            let second := 0
            let third := 0
            let fourth := 0
            for { let end := add(values, 1024) } lt(values, end) { values := add(values, 32) } {
                let bytes_ := add(sar(zeros, mload(values)), 0x80808080)
                rest := or(rest, shr(32, bytes_))
                first := or(shl(8, first), and(bytes_, 255))
                second := or(shl(8, second), and(shr(8, bytes_), 255))
                third := or(shl(8, third), and(shr(16, bytes_), 255))
                fourth := or(shl(8, fourth), and(shr(24, bytes_), 255))
            }
            mstore(digits, xor(first, BYTE_SIGNS))
            mstore(add(digits, 32), xor(second, BYTE_SIGNS))
            mstore(add(digits, 64), xor(third, BYTE_SIGNS))
            mstore(add(digits, 96), xor(fourth, BYTE_SIGNS))
        }
    }
}
