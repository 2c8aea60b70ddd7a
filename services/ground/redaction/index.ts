// Credentials, wherever texts leave the service: titles, previews, transcripts, frames, exports, shares, logs.
export { cardText, type CardMask } from './cards.js'
export { isLong, redactAhead, redactDeepGently, redactGently } from './gently.js'
export { redactDeep, textsIn } from './objects.js'
export { redactPieces } from './pieces.js'
export { beginningOf, firstCharacters, redact } from './redaction.js'
export { knownSecrets, mask } from './find.js'
export { secretsOfSettings, secretsOfVariables } from './values.js'
export { createStreamMask, longestHeld, warmStreamMasks, type StreamMask } from './stream.js'
