// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

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
                (int256 first, int256 second) = Rows.dot(digits[i], place);
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
                values[i] = read(encoding, from, i);
                all |= values[i];
            }
            if (all == 0) return (digits, 0);
            while ((all >> zeros) & 1 == 0) zeros++;
            for (uint256 i = 0; i < 32; i++) {
                int256 rest = values[i] >> zeros;
                for (uint256 n = 0; n < DIGITS; n++) {
                    digits[n] = (digits[n] << 8) | uint8(uint256(rest));
                    rest = (rest - int8(uint8(uint256(rest)))) >> 8;
                }
                if (rest != 0) revert BlockTooWide(zeros + 8 * DIGITS);
            }
        }
    }
}
