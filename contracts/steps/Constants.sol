// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FixedPoint} from './FixedPoint.sol';
import {Numbers} from './Numbers.sol';

/// What is made once of a model's sizes and vectors (docs/arithmetic.md, "Constants"), all rounded down.
library Constants {
    /// log2(e) with 28 fractional bits.
    uint256 private constant LOG2_E = 387270501;

    /// No model of the engine has this size.
    error WrongSize(uint256 size);

    /// What products of queries and keys are multiplied with, Q28: log2(e) / sqrt(divisor).
    function scoreFactor(uint256 divisor) internal pure returns (uint256) {
        if (divisor == 0) revert WrongSize(divisor);
        return FixedPoint.squareRoot((LOG2_E * LOG2_E) / divisor);
    }

    /// What embeddings of Gemma are multiplied with, Q24: sqrt(width) / 2^residualShift.
    function embeddingScale(uint256 width, uint256 residualShift) internal pure returns (uint256) {
        if (width == 0 || width > 1 << 15) revert WrongSize(width);
        if (residualShift > 24) revert WrongSize(residualShift);
        return FixedPoint.squareRoot(width << (48 - 2 * residualShift));
    }

    /// The bound of scores, Q20 and times log2(e), from one that is Q24.
    function scoreCap(uint256 cap) internal pure returns (uint256) {
        if (cap > 127 << 24) revert WrongSize(cap);
        return (cap * LOG2_E) >> 32;
    }

    /// Fractional bits of the gains of a norm: 24, less where the largest size of them, in single precision, is from 2^7 on.
    function gainBits(uint256 largest) internal pure returns (uint256) {
        unchecked {
            uint256 exponent = (largest >> 23) & 255;
            if (exponent >= 143) revert Numbers.NotANumber(largest);
            return exponent < 134 ? 24 : 157 - exponent;
        }
    }
}
