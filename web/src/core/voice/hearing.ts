import { type Api } from '../service/api.js'

/** Whether the service can hear what was said; false also where it cannot be asked. */
export async function canTranscribe (api: Api): Promise<boolean> {
  return (await api.get('/api/transcribe/capability').catch(() => null))?.available === true
}

/** Browsers give a microphone to pages of this machine and to those that come by TLS. */
export const canRecord = (): boolean =>
  globalThis.isSecureContext && navigator.mediaDevices?.getUserMedia !== undefined && globalThis.MediaRecorder !== undefined
