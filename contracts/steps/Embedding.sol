// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';
import {Blocks} from './Blocks.sol';
import {PlainRows} from './PlainRows.sol';

/// One number of a token's embedding (docs/arithmetic.md, "Embedding").
library Embedding {
    /// The weight is beyond the end of the row.
    error NoColumn(uint256 column, uint256 bytes_);

    /// The number of a column, Q24. `row` begins at a multiple of 32 weights, of 256 where these share a scale.
    function element(uint256 encoding, bytes calldata row, uint256 column) internal pure returns (int256) {
        uint256 from;
        assembly {
            from := row.offset
        }
        if (PlainRows.isPlain(encoding)) {
            if (column >= 1 << 64 || PlainRows.bytesOf(encoding, column + 1) > row.length) {
                revert NoColumn(column, row.length);
            }
            return FixedPoint.clamp(PlainRows.read(encoding, from, column));
        }
        uint256 index = column / 32;
        uint256 whole = Blocks.isShared(encoding) ? (index / 8 + 1) * 8 : index + 1;
        if (column >= 1 << 64 || Blocks.bytesOf(encoding, whole) > row.length) revert NoColumn(column, row.length);
        (uint256 weights, int256 scale, int256 other) = Blocks.read(encoding, from, index);
        unchecked {
            int256 weight = int8(uint8(weights >> (8 * (31 - (column % 32)))));
            if (encoding != Blocks.Q6_K) return FixedPoint.clamp(FixedPoint.clamp(weight * scale) + other);
            return FixedPoint.clamp(weight * (column % 32 < 16 ? scale : other));
        }
    }
}
