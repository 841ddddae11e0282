// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';
import {Blocks} from './Blocks.sol';
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

    /// Adds a segment of an encoding to the parts: its weights, and then its second scales (Q6_K), or its minima.
    function addBlocks(uint256 encoding, bytes calldata row, bytes calldata activations, int256[4] memory parts)
        internal
        pure
    {
        unchecked {
            uint256 blocks = checkRow(encoding, row, activations);
            bool isSix = encoding == Blocks.Q6_K;
            bool hasMinima = Blocks.hasMinima(encoding);
            uint256[3] memory sums;
            uint256 from;
            uint256 place;
            assembly {
                from := row.offset
                place := activations.offset
            }
            for (uint256 i = 0; i < blocks; i++) {
                Blocks.Block memory block_ = Blocks.read(encoding, from, i);
                (int256 first, int256 second) = dot(block_.weights, place);
                parts[0] += block_.scale * first;
                parts[isSix ? 1 : 0] += block_.second * second;
                if (hasMinima) parts[1] += block_.minimum * sumOf(place);
                sums[0] += FixedPoint.size(block_.scale);
                sums[1] += FixedPoint.size(block_.second);
                sums[2] += FixedPoint.size(block_.minimum);
                place += 64;
            }
            for (uint256 i = 0; i < 3; i++) if (sums[i] > MOST_SCALES) revert ScalesTooLarge(sums[i]);
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

    /// The sums of the products of 32 signed bytes with the activations at `at` in the calldata: 16 and 16 of them.
    function dot(uint256 weights, uint256 place) internal pure returns (int256 first, int256 second) {
        uint256 left = Vectors.sixteenShorts(place);
        uint256 right = Vectors.sixteenShorts(place + 32);
        assembly ("memory-safe") {
            let upper := shr(128, weights)
            for { let i := 0 } lt(i, 16) { i := add(i, 1) } {
                first := add(first, mul(signextend(0, upper), signextend(1, left)))
                second := add(second, mul(signextend(0, weights), signextend(1, right)))
                upper := shr(8, upper)
                weights := shr(8, weights)
                left := shr(16, left)
                right := shr(16, right)
            }
        }
    }

    /// The sum of 32 activations at `at` in the calldata.
    function sumOf(uint256 place) internal pure returns (int256) {
        (int256 first, int256 second) = dot(type(uint256).max, place);
        unchecked {
            return -(first + second);
        }
    }
}
