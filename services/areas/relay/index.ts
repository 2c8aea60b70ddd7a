export { questionHeader, type Guest } from './guest.js'
export { decode, encode, inlineBytes, pieceBytes, type Asked, type Said } from './packet.js'
export { createRelay, type RelayedAnswer, type RelayedRequest, type RelayOptions } from './relay.js'
