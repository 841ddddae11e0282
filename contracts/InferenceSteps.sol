// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Angles} from './steps/Angles.sol';
import {Attention} from './steps/Attention.sol';
import {Choice} from './steps/Choice.sol';
import {Constants} from './steps/Constants.sol';
import {Embedding} from './steps/Embedding.sol';
import {FixedPoint} from './steps/FixedPoint.sol';
import {Gates} from './steps/Gates.sol';
import {Norm} from './steps/Norm.sol';
import {Numbers} from './steps/Numbers.sol';
import {PlainRows} from './steps/PlainRows.sol';
import {Quantize} from './steps/Quantize.sol';
import {Rotation} from './steps/Rotation.sol';
import {Rows} from './steps/Rows.sol';
import {Vectors} from './steps/Vectors.sol';

/// One element of each operation of the integer engine, computed from its inputs: the same bits as the WebAssembly kernels
/// (docs/arithmetic.md, D161, D162). Nothing is stored, and nobody owns it; docs/disputes.md has the gas of each.
///
/// Numbers have 24 fractional bits ("Q24") unless noted. Vectors are the engine's bytes: little-endian integers of 8 bytes, of 2
/// for quantised numbers. What needs a whole vector or row is a prefix: a segment continues what the one before ended with.
contract InferenceSteps {
    /// A number of a token's embedding. `encoding` is GGML's number, `row` the bytes of the row, or its beginning.
    function embedding(uint256 encoding, bytes calldata row, uint256 column) external pure returns (int256) {
        return Embedding.element(encoding, row, column);
    }

    /// The largest size of the numbers of a segment, and of `start`.
    function largest(bytes calldata segment, uint256 start) external pure returns (uint256) {
        return Vectors.largest(segment, start);
    }

    /// How far the numbers of a norm are shifted. `largest_` is the largest size of them.
    function normShift(uint256 largest_) external pure returns (uint256) {
        return Norm.shiftOf(largest_);
    }

    /// `start` and the squares of the shifted numbers of a segment.
    function squares(bytes calldata segment, uint8 shift, uint64 start) external pure returns (uint256) {
        return Vectors.squares(segment, shift, start);
    }

    /// The inverse root of a norm over `length` numbers; epsilon is Q48.
    function inverseRoot(uint64 squares_, uint16 length, uint64 epsilon, uint8 shift)
        external
        pure
        returns (uint256 inverse, uint256 up)
    {
        if (length == 0) revert Constants.WrongSize(length);
        return Norm.inverseRoot(squares_, length, epsilon, shift);
    }

    /// A number after a norm. The gain is divided by 2^gainBits.
    function normalized(int64 x, uint8 shift, uint32 inverse, uint8 up, int32 gain, uint8 gainBits)
        external
        pure
        returns (int256)
    {
        if (up > 36) revert FixedPoint.OutOfRange(int256(uint256(up)));
        return Norm.element(x, shift, inverse, up, gain, gainBits);
    }

    /// The shift of a vector that is quantised to `bits` bits: 15 for activations, 13 in attention.
    function quantizeShift(uint256 largest_, uint8 bits) external pure returns (uint256) {
        return Quantize.shiftOf(largest_, bits);
    }

    /// A quantised number.
    function quantized(int64 x, uint8 shift, uint8 bits) external pure returns (int256) {
        return Quantize.element(x, shift, bits);
    }

    /// The parts of a row's product with activations (2 bytes each), after those of the segments before.
    function rowParts(uint256 encoding, bytes calldata row, bytes calldata activations, int256[4] memory parts)
        public
        pure
        returns (int256[4] memory)
    {
        Rows.checkParts(parts);
        if (PlainRows.isPlain(encoding)) PlainRows.addBlocks(encoding, row, activations, parts);
        else Rows.addBlocks(encoding, row, activations, parts);
        Rows.checkParts(parts);
        return parts;
    }

    /// The product from all of its parts. `shift` is that of the activations.
    function roundParts(int256[4] memory parts, uint8 shift) public pure returns (int256) {
        Rows.checkParts(parts);
        return Rows.round(parts, shift);
    }

    /// The product of a row that is one segment.
    function rowProduct(uint256 encoding, bytes calldata row, bytes calldata activations, uint8 shift)
        external
        pure
        returns (int256)
    {
        int256[4] memory none;
        return roundParts(rowParts(encoding, row, activations, none), shift);
    }

    /// The sum of two numbers: of the residual stream and a result, or of a product and its bias.
    function sum(int64 a, int64 b) external pure returns (int256) {
        return FixedPoint.clamp(FixedPoint.checked(a) + FixedPoint.checked(b));
    }

    /// The product of two numbers: of an embedding and Gemma's factor.
    function product(int64 a, int64 b) external pure returns (int256) {
        return FixedPoint.multiply(FixedPoint.checked(a), FixedPoint.checked(b));
    }

    /// A pair of numbers, rotated by an angle whose cosine and sine are Q22.
    function rotated(int64 a, int64 b, int32 cos, int32 sin) external pure returns (int256, int256) {
        return Rotation.rotate(a, b, cos, sin);
    }

    /// Cosine and sine, Q96, of a pair at position 1. The base is Q24, the divisor times 2^23.
    function firstAngle(uint256 base, uint256 size, uint256 pair, uint256 divisor) external pure returns (int256, int256) {
        return Angles.first(base, size, pair, divisor);
    }

    /// Cosine and sine, Q96, one position further than `cos` and `sin`; `stepCos` and `stepSin` are those of position 1.
    function nextAngle(int128 cos, int128 sin, int128 stepCos, int128 stepSin) external pure returns (int256, int256) {
        return Angles.next(cos, sin, stepCos, stepSin);
    }

    /// A number of the table of angles, Q22, from a cosine or sine, Q96. The gain is Q30.
    function angleEntry(int128 value, uint64 gain) external pure returns (int256) {
        return Angles.entry(value, gain);
    }

    /// The score of a position, Q20, from query and key (2 bytes a number) and their shifts. `factor` is Q28, `cap` Q20 or 0.
    function score(
        bytes calldata query,
        bytes calldata key,
        uint8 queryShift,
        uint8 keyShift,
        int64 factor,
        int64 cap
    ) external pure returns (int256) {
        return Attention.score(Vectors.dot(query, key), queryShift, keyShift, factor, cap);
    }

    /// The weight of a position, 24 bits; `most` is the largest score.
    function weight(int64 most, int64 score_) external pure returns (uint256) {
        return Attention.weight(most, score_);
    }

    /// `start` and the weighted value of a position. `topShift` is the largest shift of all values, `shift` this one's.
    function weightedSum(int64 start, uint32 weight_, uint8 topShift, uint8 shift, int16 value)
        external
        pure
        returns (int256)
    {
        return Attention.add(start, weight_, topShift, shift, value);
    }

    /// The mean of the values by their weights, whose sum is `total`.
    function weightedMean(int64 sum_, uint64 total, uint8 topShift) external pure returns (int256) {
        return Attention.mean(sum_, total, topShift);
    }

    /// SiLU of the gate times the other number.
    function siluGate(int64 gate, int64 up) external pure returns (int256) {
        return FixedPoint.multiply(Gates.silu(gate), FixedPoint.checked(up));
    }

    /// GELU of the gate times the other number.
    function geluGate(int64 gate, int64 up) external pure returns (int256) {
        return FixedPoint.multiply(Gates.gelu(gate), FixedPoint.checked(up));
    }

    /// cap * tanh(value / cap).
    function softCapped(int64 value, int64 cap) external pure returns (int256) {
        return Gates.softCap(value, cap);
    }

    /// The weight of a token, 28 bits; `top` is the largest logit, the temperature in millionths.
    function tokenWeight(int64 top, int64 logit, uint64 temperature) external pure returns (uint256) {
        return Choice.weight(top, logit, temperature);
    }

    /// The time of a token in the race, before it is divided by its weight, Q30.
    function arrival(uint64 seed, uint64 position, uint32 token) external pure returns (uint256) {
        return Choice.arrival(seed, position, token);
    }

    /// Adds a segment of weights (4 bytes each) to three sums: of all, of those above `least`, of those from it on.
    function addWeights(bytes calldata weights, uint256 least, uint256[3] memory sums)
        external
        pure
        returns (uint256[3] memory)
    {
        Choice.addWeights(weights, least, sums);
        return sums;
    }

    /// Whether the `least` of these sums is the smallest weight of the nucleus `topP` (millionths).
    function isThreshold(uint64[3] calldata sums, uint32 topP) external pure returns (bool) {
        return Choice.isThreshold([uint256(sums[0]), sums[1], sums[2]], topP);
    }

    /// log2(e) / sqrt(divisor), Q28, rounded down.
    function scoreFactor(uint64 divisor) external pure returns (uint256) {
        return Constants.scoreFactor(divisor);
    }

    /// sqrt(width) / 2^residualShift, rounded down.
    function embeddingScale(uint64 width, uint8 residualShift) external pure returns (uint256) {
        return Constants.embeddingScale(width, residualShift);
    }

    /// A bound of scores as Q20, times log2(e), rounded down.
    function scoreCap(uint64 cap) external pure returns (uint256) {
        return Constants.scoreCap(cap);
    }

    /// Fractional bits of the gains of a norm; `largest_` is the largest size of them, in single precision.
    function bitsOfGains(uint32 largest_) external pure returns (uint256) {
        return Constants.gainBits(largest_);
    }

    /// A single-precision number times 2^bits as an integer: a gain, or with 24 bits a bias.
    function single(uint32 number, uint8 bits) external pure returns (int256) {
        if (bits > FixedPoint.FRACTION) revert Constants.WrongSize(bits);
        return Numbers.fromSingle(number, bits);
    }
}
