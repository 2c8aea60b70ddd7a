import { useSignalEffect } from '@preact/signals'
import { settings } from '../app.js'
import { openChat } from '../conversation/open-chat.js'
import { waitingCount } from '../home/store.js'
import { chatTitle } from './chat-title.js'

/** Sets the window's title: the chat, with a mark while something waits or works, visible among browser tabs. */
export function WindowTitle ({ isChat }: { isChat: boolean }) {
  useSignalEffect(() => {
    const waiting = waitingCount.value
    const conversation = isChat ? openChat.value?.conversation : undefined
    const title = conversation?.session.value?.title ?? ''
    const mark = waiting > 0 ? `(${waiting}) ` : conversation != null && conversation.running.value !== null ? '… ' : ''
    document.title = mark + (title === '' ? settings.botName.value : `${chatTitle(title)} – ${settings.botName.value}`)
  })
  return null
}
