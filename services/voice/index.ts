export { createTranscription, type Capability, type Transcription } from './transcription.js'
