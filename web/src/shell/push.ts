import { api } from '../app.js'
import { createPushHere, windowPush } from '../core/settings/push.js'

/** What this browser is told while nobody looks; once per window, loaded by whoever shows it. */
export const push = createPushHere({ api, browser: windowPush() })
