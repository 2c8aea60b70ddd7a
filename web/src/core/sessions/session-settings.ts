import { type Api, type Wire } from '../service/api.js'

// Settings of a session that the box shows from the start. All throw ApiError.

/** Changes a session's model, folder or mode. A new model starts its own count of tokens and cost. */
export async function updateSession (
  api: Api, sessionId: string, change: { workspace?: string, model?: string, model_provider?: string, mode?: 'default' | 'plan', temporary?: false }
): Promise<Wire<'SessionRow'>> {
  return (await api.post('/api/session/update', { session_id: sessionId, ...change })).session
}

/** Returns whether the session runs without asking for permission. */
export async function readYolo (api: Api, sessionId: string): Promise<boolean> {
  return (await api.get('/api/session/yolo', { session_id: sessionId })).yolo_enabled
}

export async function setYolo (api: Api, sessionId: string, isOn: boolean): Promise<boolean> {
  return (await api.post('/api/session/yolo', { session_id: sessionId, enabled: isOn })).yolo_enabled
}
