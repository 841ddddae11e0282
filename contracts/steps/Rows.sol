// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';
import {Blocks} from './Blocks.sol';
import {Dot} from './Dot.sol';
import {Vectors} from './Vectors.sol';

/// Products of a row of weights with activations (docs/arithmetic.md, "Products"; D162).
///
/// A product is the sum of at most four parts, each exact and then rounded on its own. So a long row can be computed in segments:
/// the parts of a segment continue those of the one before.
library Rows {
    /// Largest sum of the sizes of a row's scales, or of its minima.
    uint256 internal constant MOST_SCALES = 1 << 35;

    /// A row's sums are at most this.
    int256 private constant MOST_SUM = 1 << 62;

    /// The row's scales are too large together: no model that has it can be loaded.
    error ScalesTooLarge(uint256 sum);
    /// The bytes are not those of as many weights as there are activations.
    error WrongRow(uint256 bytes_, uint256 expected);

    /// What the blocks of a segment add up to: both parts, the sizes of the scales, and of the second scales or the minima.
    struct Sums {
        int256 first;
        int256 second;
        uint256 scales;
        uint256 others;
    }

    /// Adds a segment of an encoding to the parts: its weights, and then its second scales (Q6_K), or its minima.
    function addBlocks(uint256 encoding, bytes calldata row, bytes calldata activations, int256[4] memory parts)
        internal
        pure
    {
        unchecked {
            uint256 blocks = checkRow(encoding, row, activations);
            uint256 from;
            uint256 place;
            assembly {
                from := row.offset
                place := activations.offset
            }
            Sums memory sums;
            for (uint256 i = 0; i < blocks; i++) {
                addBlock(encoding, from, i, place, sums);
                place += 64;
            }
            if (sums.scales > MOST_SCALES) revert ScalesTooLarge(sums.scales);
            if (sums.others > MOST_SCALES) revert ScalesTooLarge(sums.others);
            parts[0] += sums.first;
            parts[1] += sums.second;
        }
    }

    function addBlock(uint256 encoding, uint256 from, uint256 index, uint256 place, Sums memory sums) private pure {
        unchecked {
            (uint256 weights, int256 scale, int256 other) = Blocks.read(encoding, from, index);
            (int256 first, int256 second, int256 sum) = Dot.block32(weights, place);
            if (encoding == Blocks.Q6_K) {
                sums.first += scale * first;
                sums.second += other * second;
            } else {
                sums.first += scale * (first + second);
                sums.second += other * sum;
            }
            sums.scales += FixedPoint.size(scale);
            sums.others += FixedPoint.size(other);
        }
    }

    /// Reverts where no row has these parts.
    function checkParts(int256[4] memory parts) internal pure {
        for (uint256 i = 0; i < 4; i++) {
            if (parts[i] > MOST_SUM || parts[i] < -MOST_SUM) revert FixedPoint.OutOfRange(parts[i]);
        }
    }

    /// The product: the parts, each rounded, one after the other. `shift` is that of the activations.
    function round(int256[4] memory parts, uint256 shift) internal pure returns (int256 value) {
        unchecked {
            int256 by = int256(shift) - int256(FixedPoint.FRACTION);
            for (uint256 i = 0; i < 4; i++) value = FixedPoint.clamp(value + FixedPoint.scale(parts[i], by));
        }
    }

    /// Number of blocks. Reverts where row and activations do not fit together.
    function checkRow(uint256 encoding, bytes calldata row, bytes calldata activations) private pure returns (uint256 blocks) {
        unchecked {
            Vectors.checkLength(activations, Blocks.isShared(encoding) ? 512 : 64);
            blocks = activations.length / 64;
            uint256 expected = Blocks.bytesOf(encoding, blocks);
            if (row.length != expected) revert WrongRow(row.length, expected);
        }
    }
}
