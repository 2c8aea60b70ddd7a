import { api } from '../app.js'
import { createPushHere, windowPush } from '../core/settings/push.js'

/** The push messages of this browser; once per window, loaded by the view that shows them. */
export const push = createPushHere({ api, browser: windowPush() })
