import { api, link, personStore } from '../app.js'
import { BackgroundTasks } from '../core/conversation/background-tasks.js'
import { SideQuestions } from '../core/conversation/side-questions.js'

// The side questions and background tasks of this window, whichever chat is open. Loaded with the first chat.

export const sideQuestions = new SideQuestions({ api, link })
export const backgroundTasks = new BackgroundTasks({ api, link, store: personStore })
