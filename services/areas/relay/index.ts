export { questionHeader, relayedRoutes, type Guest } from './guest.js'
export { decode, encode, inlineBytes, pieceBytes, type Asked, type Said } from './packet.js'
export { createRelay, type Relay, type RelayedAnswer, type RelayedRequest, type RelayOptions, type RelayTiming } from './relay.js'
