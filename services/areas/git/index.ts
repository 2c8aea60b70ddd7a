export {
  branchesToWire, commitToWire, detailToWire, diffToWire, infoToWire, stashedToWire, stashToWire, statusAnswer, statusToWire
} from './wire.js'
