// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// Rates and fractions are in basis points: 10,000 of them are the whole.
uint256 constant WHOLE = 10_000;

// Most of the stake that goes with one absence, whatever genesis says: shares without any worth could never be added to again.
uint256 constant MAX_ABSENCE_SLASH = WHOLE / 2;

/// What genesis decides for the life of the chain.
struct Parameters {
    /// Stake, in the smallest unit, that makes one unit of voting power.
    uint128 powerUnit;
    /// Seconds between leaving and getting the stake back. Evidence may be this old.
    uint64 unbondingTime;
    /// Seconds for which an absent validator stays out at least.
    uint64 jailTime;
    /// Most validators of a set. With 1 the set is closed: nobody joins, and the key stays.
    uint32 maxValidators;
    /// Blocks in which absences are counted together.
    uint32 signedWindow;
    /// Most blocks of a window that a validator may miss.
    uint32 maxMissed;
    /// Fractions of the stake that go with a double sign and with a long absence.
    uint16 doubleSignSlash;
    uint16 absenceSlash;
}

/// A validator is named by its operator: the account that made it.
struct Validator {
    /// Ed25519.
    bytes32 publicKey;
    uint128 tokens;
    /// Shares in `tokens`; a slash makes each of them worth less.
    uint128 shares;
    /// Voting power in the set last returned; 0 outside of it.
    uint64 power;
    uint64 jailedUntil;
    /// Number of the window in which `missed` blocks were missed.
    uint64 window;
    uint32 missed;
    /// Place among the candidates, counted from 1; 0 outside of them.
    uint32 place;
    uint64 commissionChangedAt;
    uint16 commission;
    uint16 maxCommission;
    /// Most that the commission may move at once, and that once a day.
    uint16 maxCommissionChange;
    bool isJailed;
    /// Signed two blocks of one height: out for ever.
    bool isTombstoned;
    /// Height of the double sign, and the height at which it was punished.
    uint64 infractionHeight;
    uint64 slashHeight;
    /// Commission that was not withdrawn yet.
    uint128 commissionOwed;
    /// Value of `rewardPerPower` up to which this validator's income is shared out.
    uint256 settledAt;
    /// Sum of what one share earned so far, times 2^128.
    uint256 rewardPerShare;
}

struct Delegation {
    uint128 shares;
    /// Rewards up to `rewardPerShare` that were not withdrawn yet.
    uint128 rewards;
    uint256 rewardPerShare;
    /// Shares that came by a redelegation and still answer for the validator that they came from.
    uint128 lockedShares;
    uint64 lockedAt;
    uint64 lockedUntil;
    address lockedFrom;
}

/// Stake on its way out.
struct Unbonding {
    address validator;
    uint64 startHeight;
    uint128 amount;
    /// Unix time in seconds.
    uint64 completesAt;
}

/// All that the contract holds for somebody. What its balance has above the sum is income yet to be shared out.
struct Totals {
    uint128 bonded;
    uint128 unbonding;
    uint128 rewards;
    /// Voting power of the set last returned.
    uint64 power;
    /// Whether the set must be elected again.
    bool isSetStale;
}

/// One entry of the set that the application takes over.
struct Member {
    bytes32 publicKey;
    uint64 power;
}

/// Proven misbehaviour: `consensus` signed two blocks of one height.
struct Offence {
    address consensus;
    uint64 height;
    /// Unix time in seconds.
    uint64 time;
}

/// A change of the network's rules, which the node carries out at its height.
struct Upgrade {
    /// Version of the EVM's rules from then on; 0 keeps them.
    uint64 rules;
    /// Gets the code with this hash; the zero address changes no code.
    address target;
    bytes32 codeHash;
    /// Has that code, so that whoever has the state has it. Where it has other code at the height, none is given.
    address source;
}
