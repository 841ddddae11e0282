// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

contract Child {
    uint256 public value;
    event Visited(address indexed by, uint256 value);

    function visit(uint256 next) external payable returns (uint256) {
        value += next;
        emit Visited(msg.sender, value);
        return value;
    }
}

/// Delegates everything, as an upgradeable proxy does.
contract Proxy {
    uint256 private first;
    address private immutable target;

    constructor(address to) payable {
        target = to;
    }

    fallback() external payable {
        (bool done, bytes memory data) = target.delegatecall(msg.data);
        assembly {
            switch done
            case 0 { revert(add(data, 32), mload(data)) }
            default { return(add(data, 32), mload(data)) }
        }
    }
}

/// What contracts of OpenZeppelin and their like do, one kind per function.
contract Workload {
    error TooLarge(uint256 given, uint256 limit);
    event Stored(uint256 indexed slot, uint256 value, bytes data);
    event Made(address indexed child, bytes32 indexed salt);

    uint256 public total;
    mapping(uint256 => uint256) public values;
    mapping(uint256 => address) public children;
    string public name;
    bytes32 private transient guard;

    modifier nonReentrant() {
        require(guard == 0, "reentrant");
        guard = bytes32(uint256(1));
        _;
        guard = 0;
    }

    function store(uint256 slot, uint256 value) external {
        if (value > 1000) revert TooLarge(value, 1000);
        total += value;
        values[slot] = value;
        emit Stored(slot, value, abi.encode(slot, value));
    }

    function clear(uint256 slot) external {
        delete values[slot];
    }

    function rename(string calldata next) external {
        require(bytes(next).length < 100, "name too long");
        name = next;
    }

    function make(uint256 index) external payable {
        Child child = new Child{salt: bytes32(index)}();
        Proxy proxy = new Proxy{value: msg.value}(address(child));
        children[index] = address(proxy);
        emit Made(address(child), bytes32(index));
        emit Made(address(proxy), bytes32(0));
    }

    function visit(uint256 index, uint256 next) external payable nonReentrant returns (uint256) {
        address child = children[index];
        // Not address zero: where that is the coinbase, as on anvil, it is warm from the start (EIP-3651).
        return Child(child == address(0) ? address(0xdead) : child).visit{value: msg.value}(next);
    }

    function tryVisit(uint256 index) external returns (bool done) {
        try this.visit(index, 1) returns (uint256) {
            done = true;
        } catch {
            total += 1;
        }
    }

    function hash(uint256 rounds) external returns (bytes32 sum) {
        for (uint256 i = 0; i < rounds; i++) sum = keccak256(abi.encode(sum, sha256(abi.encode(i))));
        values[rounds] = uint256(sum);
    }

    function panic(uint256 by) external view returns (uint256) {
        return total / by;
    }
}
