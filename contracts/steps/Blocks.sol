// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Numbers} from './Numbers.sol';

/// Blocks of 32 weights in the encodings of GGML (docs/arithmetic.md, "Encodings"): as 32 signed bytes, the first one highest,
/// with integer scales. All 32 are unpacked at once: a byte never carries into its neighbour.
library Blocks {
    uint256 internal constant Q4_0 = 2;
    uint256 internal constant Q4_1 = 3;
    uint256 internal constant Q5_0 = 6;
    uint256 internal constant Q5_1 = 7;
    uint256 internal constant Q8_0 = 8;
    uint256 internal constant Q4_K = 12;
    uint256 internal constant Q5_K = 13;
    uint256 internal constant Q6_K = 14;

    /// 1 in every byte.
    uint256 private constant ONES = 0x0101010101010101010101010101010101010101010101010101010101010101;
    uint256 private constant NIBBLES = 15 * ONES;
    uint256 private constant SIGNS = 128 * ONES;
    /// Bit i % 8 of byte i.
    uint256 private constant DIAGONAL = 0x0102040810204080010204081020408001020408102040800102040810204080;

    error UnknownEncoding(uint256 encoding);
    /// The scale needs more than 32 bits: no model that has it can be loaded.
    error ScaleTooLarge(int256 scale);

    /// Bytes of `blocks` blocks. Those of 256 weights are in eighths.
    function bytesOf(uint256 encoding, uint256 blocks) internal pure returns (uint256) {
        unchecked {
            if (encoding == Q8_0) return 34 * blocks;
            if (encoding == Q4_0) return 18 * blocks;
            if (encoding == Q4_1) return 20 * blocks;
            if (encoding == Q5_0) return 22 * blocks;
            if (encoding == Q5_1) return 24 * blocks;
            if (encoding == Q4_K) return 18 * blocks;
            if (encoding == Q5_K) return 22 * blocks;
            if (encoding == Q6_K) return (blocks * 210) / 8;
            revert UnknownEncoding(encoding);
        }
    }

    /// Whether eight blocks share their scales.
    function isShared(uint256 encoding) internal pure returns (bool) {
        return encoding >= Q4_K;
    }

    function hasMinima(uint256 encoding) internal pure returns (bool) {
        return encoding == Q4_1 || encoding == Q5_1 || encoding == Q4_K || encoding == Q5_K;
    }

    /// Block `index` of a row that begins at `row` in the calldata: its weights; what they are multiplied with; and for Q6_K what
    /// those from 16 on are multiplied with, for encodings with minima what is added to each. Scales and minima are times 2^24.
    function read(uint256 encoding, uint256 row, uint256 index)
        internal
        pure
        returns (uint256 weights, int256 scale, int256 other)
    {
        unchecked {
            if (encoding == Q8_0) {
                row += 34 * index;
                (weights, scale) = (word(row + 2), half(row));
            } else if (encoding == Q6_K) {
                (weights, scale, other) = readSix(row + 210 * (index >> 3), index & 7);
            } else if (isShared(encoding)) {
                (weights, scale, other) =
                    readWithMinima(encoding == Q5_K, row + bytesOf(encoding, 8) * (index >> 3), index & 7);
            } else {
                (weights, scale, other) = readSmall(encoding, row + bytesOf(encoding, 1) * index);
            }
            checkScale(scale);
            checkScale(other);
        }
    }

    function readSmall(uint256 encoding, uint256 source)
        private
        pure
        returns (uint256 weights, int256 scale, int256 minimum)
    {
        unchecked {
            scale = half(source);
            source += 2;
            bool hasMinimum = hasMinima(encoding);
            if (hasMinimum) {
                minimum = half(source);
                source += 2;
            }
            uint256 fifth = 0;
            if (encoding >= Q5_0) {
                fifth = fifthBits(word(source) >> 224);
                source += 4;
            }
            // The lower halves of 16 bytes are the first 16 weights, the upper ones the others.
            uint256 packed = word(source) >> 128;
            weights = (((packed << 128) | (packed >> 4)) & NIBBLES) | fifth;
            if (!hasMinimum) weights = less(weights, encoding == Q4_0 ? 8 : 16);
        }
    }

    /// Bit i of a number of four bytes, in the order of the file, as 16 in byte i.
    function fifthBits(uint256 bits) private pure returns (uint256) {
        unchecked {
            uint256 lanes = ((bits >> 24) << 192) | (((bits >> 16) & 255) << 128) | (((bits >> 8) & 255) << 64) | (bits & 255);
            // Each byte eight times, then of each one bit, then that bit at its place.
            return ((((lanes * 0x0101010101010101) & DIAGONAL) + 127 * ONES) >> 3) & (16 * ONES);
        }
    }

    /// Q4_K and Q5_K: eight blocks share a scale of scales and one of minima.
    function readWithMinima(bool hasFifth, uint256 source, uint256 index)
        private
        pure
        returns (uint256 weights, int256 scale, int256 minimum)
    {
        unchecked {
            uint256 scales = word(source + 4);
            scale = half(source) * sixBits(scales, index, 0);
            minimum = -half(source + 2) * sixBits(scales, index, 4);
            uint256 packed = source + (hasFifth ? 48 : 16) + (index >> 1) * 32;
            weights = (word(packed) >> (4 * (index & 1))) & NIBBLES;
            if (hasFifth) weights |= ((word(source + 16) >> index) & ONES) << 4;
        }
    }

    /// Six bits of the scale (offset 0) or the minimum (4) of a block: the last four have their two highest bits elsewhere.
    function sixBits(uint256 scales, uint256 index, uint256 offset) private pure returns (int256) {
        unchecked {
            if (index < 4) return int256(byteOf(scales, index + offset) & 63);
            uint256 low = byteOf(scales, index + 4);
            uint256 high = byteOf(scales, index - 4 + offset) >> 6;
            return int256((offset == 0 ? low & 15 : low >> 4) | (high << 4));
        }
    }

    /// Q6_K: eight blocks share a scale of scales, and each half of a block has its own.
    function readSix(uint256 source, uint256 index)
        private
        pure
        returns (uint256 weights, int256 scale, int256 second)
    {
        unchecked {
            uint256 scales = word(source + 192 + 2 * index);
            second = half(source + 208);
            scale = second * int8(uint8(byteOf(scales, 0)));
            second *= int8(uint8(byteOf(scales, 1)));
            uint256 part = index >> 2;
            uint256 low = word(source + part * 64 + (index & 1) * 32) >> (2 * (index & 2));
            uint256 high = word(source + 128 + part * 32) >> (2 * (index & 3));
            weights = less((low & NIBBLES) | ((high & (3 * ONES)) << 4), 32);
        }
    }

    /// Each byte, at most 63, less `zero`, as a signed one.
    function less(uint256 weights, uint256 zero) private pure returns (uint256) {
        unchecked {
            return (weights + (128 - zero) * ONES) ^ SIGNS;
        }
    }

    function checkScale(int256 scale) private pure {
        unchecked {
            // From -2^31 + 1 to 2^31 - 1.
            if (uint256(scale + type(int32).max) > 2 * uint256(uint32(type(int32).max))) revert ScaleTooLarge(scale);
        }
    }

    function half(uint256 place) private pure returns (int256) {
        return Numbers.fromHalf(Numbers.two(place));
    }

    function word(uint256 place) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := calldataload(place)
        }
    }

    function byteOf(uint256 value, uint256 index) private pure returns (uint256 result) {
        assembly ("memory-safe") {
            result := byte(index, value)
        }
    }
}
