// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Operators of the verification network (D33): who they are, what they take, which part of the draws is theirs, and what
/// they stake on it. Pre-installed in genesis and deployable anywhere; there is no owner and nothing to configure.
///
/// An operator's address is that of its signing key, which also makes its draws: the key that is registered must hash to the
/// sender, so nobody can choose draws by choosing keys.
contract OperatorRegistry {
    struct Operator {
        /// Where its part of the number line begins, and where it ends (exclusive).
        uint32 start;
        uint32 end;
        /// Bit 0: opml jobs, bit 1: tee jobs.
        uint8 types;
        /// When the stake that is being withdrawn may leave, in seconds; 0 when none is.
        uint64 withdrawableAt;
        uint128 stake;
        uint128 withdrawing;
        /// The public key of its draws (secp256k1).
        bytes32 keyX;
        bytes32 keyY;
    }

    /// Length of the number line that draws fall on.
    uint256 public constant MAX_RANGE = 600_000;
    /// Stake per unit of range, in the smallest unit of the coin.
    uint256 public constant STAKE_PER_UNIT = 1e14;
    /// How long withdrawn stake stays, so that what was done with it can still be found out.
    uint256 public constant WITHDRAWAL_DELAY = 3 days;

    uint8 private constant ALL_TYPES = 3;

    mapping(address operator => Operator) private records;
    /// Everybody who ever registered, in order.
    address[] public operators;

    error NotRegistered(address operator);
    error AlreadyRegistered(address operator);
    /// The key does not hash to the sender.
    error WrongKey(address expected, address given);
    error WrongRange(uint256 start, uint256 end);
    error WrongTypes(uint256 types);
    error StakeTooLow(uint256 stake, uint256 needed);
    error WithdrawalPending(uint256 withdrawableAt);
    error NothingToWithdraw(uint256 withdrawableAt);
    error PaymentFailed();

    event OperatorRegistered(
        address indexed operator, uint32 start, uint32 end, uint8 types, bytes32 keyX, bytes32 keyY
    );
    event OperatorUpdated(address indexed operator, uint32 start, uint32 end, uint8 types);
    event StakeChanged(address indexed operator, uint256 stake);
    event WithdrawalRequested(address indexed operator, uint256 amount, uint256 withdrawableAt);
    event Withdrawn(address indexed operator, uint256 amount);

    /// Registers the sender with the stake that is sent along.
    function register(uint32 start, uint32 end, uint8 types, bytes32 keyX, bytes32 keyY) external payable {
        Operator storage record = records[msg.sender];
        if (record.keyX != 0) revert AlreadyRegistered(msg.sender);
        address given = address(uint160(uint256(keccak256(abi.encode(keyX, keyY)))));
        if (given != msg.sender) revert WrongKey(msg.sender, given);
        operators.push(msg.sender);
        record.keyX = keyX;
        record.keyY = keyY;
        record.stake = uint128(msg.value);
        setPart(record, start, end, types);
        emit OperatorRegistered(msg.sender, start, end, types, keyX, keyY);
        emit StakeChanged(msg.sender, record.stake);
    }

    /// Changes the sender's part and types; what is sent along is added to its stake.
    function update(uint32 start, uint32 end, uint8 types) external payable {
        Operator storage record = registered(msg.sender);
        record.stake += uint128(msg.value);
        setPart(record, start, end, types);
        emit OperatorUpdated(msg.sender, start, end, types);
        if (msg.value > 0) emit StakeChanged(msg.sender, record.stake);
    }

    /// Takes stake out of what counts; after the delay it can be withdrawn. Too little left makes the sender inactive.
    function requestWithdrawal(uint128 amount) external {
        Operator storage record = registered(msg.sender);
        if (record.withdrawing > 0) revert WithdrawalPending(record.withdrawableAt);
        if (amount == 0 || amount > record.stake) revert StakeTooLow(record.stake, amount);
        record.stake -= amount;
        record.withdrawing = amount;
        record.withdrawableAt = uint64(block.timestamp + WITHDRAWAL_DELAY);
        emit StakeChanged(msg.sender, record.stake);
        emit WithdrawalRequested(msg.sender, amount, record.withdrawableAt);
    }

    /// Pays the sender what it asked for, once the delay is over.
    function withdraw() external {
        Operator storage record = registered(msg.sender);
        uint256 amount = record.withdrawing;
        if (amount == 0 || block.timestamp < record.withdrawableAt) revert NothingToWithdraw(record.withdrawableAt);
        record.withdrawing = 0;
        record.withdrawableAt = 0;
        emit Withdrawn(msg.sender, amount);
        (bool paid,) = msg.sender.call{value: amount}("");
        if (!paid) revert PaymentFailed();
    }

    /// The record of an operator; all zero for anybody else.
    function recordOf(address operator) external view returns (Operator memory) {
        return records[operator];
    }

    /// The part of an operator as long as its stake covers it, else (0, 0). The older network's contract answers the same.
    function operatorRanges(address operator) external view returns (uint256 start, uint256 end) {
        Operator storage record = records[operator];
        if (isActive(operator)) (start, end) = (record.start, record.end);
    }

    /// Whether an operator is registered and its stake covers its part.
    function isActive(address operator) public view returns (bool) {
        Operator storage record = records[operator];
        return record.keyX != 0 && record.stake >= neededFor(record.start, record.end);
    }

    /// The stake that a part of the number line needs.
    function neededFor(uint256 start, uint256 end) public pure returns (uint256) {
        return (end - start) * STAKE_PER_UNIT;
    }

    function getNumOperators() external view returns (uint256) {
        return operators.length;
    }

    function registered(address operator) private view returns (Operator storage record) {
        record = records[operator];
        if (record.keyX == 0) revert NotRegistered(operator);
    }

    function setPart(Operator storage record, uint32 start, uint32 end, uint8 types) private {
        if (start >= end || end > MAX_RANGE) revert WrongRange(start, end);
        if (types == 0 || types > ALL_TYPES) revert WrongTypes(types);
        uint256 needed = neededFor(start, end);
        if (record.stake < needed) revert StakeTooLow(record.stake, needed);
        (record.start, record.end, record.types) = (start, end, types);
    }
}
