import { api, link, personStore } from '../app.js'
import { BackgroundTasks } from '../core/conversation/background-tasks.js'
import { SideQuestions } from '../core/conversation/side-questions.js'

// What goes on beside the chats of this window, whichever is open. Loaded with the first chat that is looked at.

export const sideQuestions = new SideQuestions({ api, link })
export const backgroundTasks = new BackgroundTasks({ api, link, store: personStore })
