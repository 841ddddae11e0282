// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Receipts of verified jobs: one Merkle root per interval and dispatcher, however many results it stands for. Pre-installed
/// in genesis and deployable anywhere; there is no owner.
///
/// A dispatcher's list only grows, and only by the hand of its anchorer: itself, or the account that it appointed.
contract JobReceipts {
    struct Anchor {
        /// RFC 6962 Merkle root (SHA-256) over the receipts of the interval.
        bytes32 root;
        uint64 count;
        /// Seconds since 1970.
        uint64 time;
    }

    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant APPOINTMENT_TYPE =
        keccak256("Appointment(address dispatcher,address anchorer,uint256 serial)");

    /// Anchors by dispatcher and interval, which counts from 1. Must stay the first variable: proofs name its slots.
    mapping(address dispatcher => mapping(uint256 interval => Anchor)) public anchors;
    /// The last interval of a dispatcher; 0 before the first.
    mapping(address dispatcher => uint256) public intervals;
    mapping(address dispatcher => address) private appointed;
    /// How many appointments a dispatcher has signed; the next one's serial number is one more.
    mapping(address dispatcher => uint256) public serials;

    error NotAnchorer(address caller, address expected);
    /// The interval is not the next one.
    error WrongInterval(uint256 given, uint256 expected);
    /// The root before this one is another.
    error WrongPrevious(bytes32 given, bytes32 expected);
    error EmptyInterval();
    error WrongSignature();

    event AnchorerAppointed(address indexed dispatcher, address indexed anchorer);
    event Anchored(
        address indexed dispatcher, uint256 indexed interval, bytes32 indexed root, bytes32 previous, uint64 count
    );

    /// Who may anchor for a dispatcher.
    function anchorerOf(address dispatcher) public view returns (address) {
        address anchorer = appointed[dispatcher];
        return anchorer == address(0) ? dispatcher : anchorer;
    }

    /// Appoints an anchorer by the dispatcher's signature (EIP-712), so that its key needs no coins. Anybody may bring it.
    function appoint(address dispatcher, address anchorer, uint8 v, bytes32 r, bytes32 s) external {
        uint256 serial = ++serials[dispatcher];
        bytes32 domain = keccak256(
            abi.encode(DOMAIN_TYPE, keccak256("Assay receipts"), keccak256("1"), block.chainid, address(this))
        );
        bytes32 struct_ = keccak256(abi.encode(APPOINTMENT_TYPE, dispatcher, anchorer, serial));
        address signer = ecrecover(keccak256(abi.encodePacked(hex"1901", domain, struct_)), v, r, s);
        if (signer == address(0) || signer != dispatcher) revert WrongSignature();
        appointed[dispatcher] = anchorer;
        emit AnchorerAppointed(dispatcher, anchorer);
    }

    /// Adds the next interval of a dispatcher. `previous` is the root of the one before, 0 for the first.
    function anchor(address dispatcher, uint256 interval, bytes32 root, uint64 count, bytes32 previous) external {
        address anchorer = anchorerOf(dispatcher);
        if (msg.sender != anchorer) revert NotAnchorer(msg.sender, anchorer);
        uint256 last = intervals[dispatcher];
        if (interval != last + 1) revert WrongInterval(interval, last + 1);
        bytes32 expected = anchors[dispatcher][last].root;
        if (previous != expected) revert WrongPrevious(previous, expected);
        if (count == 0 || root == 0) revert EmptyInterval();
        anchors[dispatcher][interval] = Anchor(root, count, uint64(block.timestamp));
        intervals[dispatcher] = interval;
        emit Anchored(dispatcher, interval, root, previous, count);
    }

    /// Whether a receipt stands at its index in an anchored interval. `aunts` run from the leaf to the root (RFC 9162, 2.1.3.2).
    function contains(address dispatcher, uint256 interval, bytes32 receipt, uint256 index, bytes32[] calldata aunts)
        external
        view
        returns (bool)
    {
        Anchor storage anchored = anchors[dispatcher][interval];
        if (index >= anchored.count) return false;
        uint256 last = anchored.count - 1;
        bytes32 node = sha256(abi.encodePacked(uint8(0), receipt));
        for (uint256 i = 0; i < aunts.length; i++) {
            if (last == 0) return false;
            if (index & 1 == 1 || index == last) {
                node = sha256(abi.encodePacked(uint8(1), aunts[i], node));
                while (index & 1 == 0 && index != 0) (index, last) = (index >> 1, last >> 1);
            } else {
                node = sha256(abi.encodePacked(uint8(1), node, aunts[i]));
            }
            (index, last) = (index >> 1, last >> 1);
        }
        return last == 0 && node == anchored.root;
    }
}
