// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Delegation, Parameters, Totals, Unbonding, Validator} from './Types.sol';

/// State, events and errors of the staking contract. Genesis fills some of the variables by their names.
abstract contract Storage {
    /// Reward address by consensus address. Must stay the first variable: the node reads its slots.
    mapping(address consensus => address reward) public rewardOf;

    /// Operator by consensus address, of keys that were given up as well: they still answer for what they signed.
    mapping(address consensus => address operator) public operatorOf;

    Parameters internal parameters_;
    Totals internal totals_;

    /// Sum of what one unit of power earned so far, times 2^64.
    uint256 public rewardPerPower;

    mapping(address operator => Validator) internal validators_;
    mapping(address delegator => mapping(address operator => Delegation)) internal delegations_;
    mapping(address delegator => Unbonding[]) internal unbondings_;

    /// Operators that may be elected, in no order; and those that were.
    address[] internal candidates_;
    address[] internal set_;

    event ValidatorCreated(address indexed operator, address indexed consensus, bytes32 publicKey, uint16 commission);
    event ConsensusKeyChanged(address indexed operator, address indexed consensus, bytes32 publicKey);
    event CommissionChanged(address indexed operator, uint16 from, uint16 to);
    event RewardChanged(address indexed consensus, address indexed from, address indexed to);
    event Delegated(address indexed delegator, address indexed operator, uint256 amount, uint256 shares);
    event Undelegated(
        address indexed delegator, address indexed operator, uint256 amount, uint256 shares, uint64 completesAt
    );
    event Redelegated(
        address indexed delegator, address indexed from, address indexed to, uint256 amount, uint256 shares
    );
    event UnbondedWithdrawn(address indexed delegator, address indexed operator, uint256 amount, uint256 slashed);
    event RewardsWithdrawn(address indexed delegator, address indexed operator, uint256 amount);
    event CommissionWithdrawn(address indexed operator, address indexed to, uint256 amount);
    event Slashed(address indexed operator, uint256 amount);
    event RedelegationSlashed(address indexed delegator, address indexed operator, uint256 amount);
    event Jailed(address indexed operator, uint64 until);
    event Tombstoned(address indexed operator, uint64 infractionHeight);
    event Unjailed(address indexed operator);

    error NotSystem(address caller);
    error NotOperator(address caller, address expected);
    error UnknownValidator(address operator);
    error ValidatorExists(address operator);
    error ClosedSet();
    error ConsensusKeyInUse(bytes32 publicKey);
    error InvalidConsensusKey();
    error CommissionOutOfBounds(uint256 commission, uint256 maximum);
    error CommissionChangeTooLarge(uint256 change, uint256 maximum);
    error CommissionChangeTooEarly(uint256 allowedAt);
    error InvalidRewardAddress();
    error StakeTooSmall(uint256 amount, uint256 minimum);
    error AmountTooLarge(uint256 amount);
    error NotEnoughShares(uint256 wanted, uint256 available);
    error WorthlessShares(address operator);
    error SameValidator(address operator);
    error RedelegationPending(uint256 until);
    error NoSuchUnbonding(uint256 index);
    error StillUnbonding(uint256 completesAt);
    error NothingToWithdraw();
    error NotJailed(address operator);
    error StillJailed(uint256 until);
    error AlreadyTombstoned(address operator);
    error PaymentFailed(address to);

    /// A validator that exists.
    function _validator(address operator) internal view returns (Validator storage validator) {
        validator = validators_[operator];
        if (validator.publicKey == 0) revert UnknownValidator(operator);
    }

    function _toUint128(uint256 amount) internal pure returns (uint128) {
        if (amount > type(uint128).max) revert AmountTooLarge(amount);
        return uint128(amount);
    }

    /// CometBFT's address of a key: the first 20 bytes of its SHA-256.
    function _consensusAddress(bytes32 publicKey) internal pure returns (address) {
        return address(bytes20(sha256(abi.encodePacked(publicKey))));
    }

    /// The last thing that a function does: the receiver may call back.
    function _pay(address to, uint256 amount) internal {
        (bool isPaid, ) = to.call{value: amount}('');
        if (!isPaid) revert PaymentFailed(to);
    }
}
