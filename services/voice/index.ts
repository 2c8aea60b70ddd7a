export { createEspeak } from './espeak.js'
export { assertSpeakable, readProsody, type Prosody } from './prosody.js'
export { createSpeech, type Speech } from './speech.js'
export { createTranscription, type Capability, type Transcription } from './transcription.js'
