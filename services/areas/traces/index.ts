export { createTurnTraces, type TracedTask, type TurnSpans } from './turn-traces.js'
