import { type Api } from '../service/api.js'

/** Returns whether the service can transcribe; false also if it cannot be reached. */
export async function canTranscribe (api: Api): Promise<boolean> {
  return (await api.get('/api/transcribe/capability').catch(() => null))?.available === true
}

/** Whether the browser allows this page to use a microphone: only over TLS or on localhost. */
export const canRecord = (): boolean =>
  globalThis.isSecureContext && navigator.mediaDevices?.getUserMedia !== undefined && globalThis.MediaRecorder !== undefined
