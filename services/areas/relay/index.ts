export { questionHeader, type Guest } from './guest.js'
export { decode, encode, inlineBytes, pieceBytes, type RelayMessage, type RelayReply } from './packet.js'
export { createRelay, type RelayedAnswer, type RelayedRequest, type RelayOptions } from './relay.js'
