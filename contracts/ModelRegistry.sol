// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// What files the names of models mean, according to whoever says so: each account has a list of its own, and dispatchers choose
/// whose they follow (D147). Deployable anywhere; there is no owner.
contract ModelRegistry {
    /// Hashes as in operators' statements; zero where anything will do. A name whose `file` is zero is not registered any more.
    struct Model {
        /// UTF-8, then zeros.
        bytes32[8] name;
        /// SHA-256.
        bytes32 file;
        bytes32 modelRoot;
        bytes32 templateHash;
        bytes32 tokenListHash;
    }

    mapping(address registrar => Model[]) private models;
    /// Place of a name in the list, from 1 on.
    mapping(address registrar => mapping(bytes32 nameHash => uint256)) private places;
    /// How often a registrar has changed its list.
    mapping(address registrar => uint256) public versions;

    error NoName();

    event ModelSet(address indexed registrar, bytes32 indexed nameHash, bytes32 file);

    /// Sets an entry of the sender's list. All words but the first of `name` may be zero.
    function set(
        bytes32[8] calldata name,
        bytes32 file,
        bytes32 modelRoot,
        bytes32 templateHash,
        bytes32 tokenListHash
    ) external {
        if (name[0] == 0) revert NoName();
        bytes32 nameHash = keccak256(abi.encode(name));
        uint256 place = places[msg.sender][nameHash];
        Model memory model = Model(name, file, modelRoot, templateHash, tokenListHash);
        if (place == 0) {
            models[msg.sender].push(model);
            places[msg.sender][nameHash] = models[msg.sender].length;
        } else {
            models[msg.sender][place - 1] = model;
        }
        versions[msg.sender]++;
        emit ModelSet(msg.sender, nameHash, file);
    }

    /// Length of a registrar's list, with the names that are not registered any more.
    function countOf(address registrar) external view returns (uint256) {
        return models[registrar].length;
    }

    /// An entry of a registrar's list, from 0 on.
    function modelAt(address registrar, uint256 at) external view returns (Model memory) {
        return models[registrar][at];
    }
}
