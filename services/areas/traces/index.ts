export { createTurnTraces, type TurnSpans } from './turn-traces.js'
