import { sessions } from '../app.js'
import { chatTitle } from '../shell/chat-title.js'
import { Button } from '../ui/Button.js'
import { SelectField } from '../ui/Field.js'
import { screenWords } from '../words/index.js'

/** Chooses one of the listed chats; older ones are loaded on request. */
export function ChatSelect ({ label, value, onValue }: { label: string, value: string, onValue: (sessionId: string) => void }) {
  const choices = sessions.rows.value.map(({ session_id: key, title }) => ({
    key, text: chatTitle(title)
  }))
  return (
    <>
      <SelectField label={label} value={value} choices={[{ key: '', text: screenWords.value.settings.transfer.chooseChat }, ...choices]} onValue={onValue} />
      {sessions.hasMore.value
        ? <div><Button size='small' onClick={() => { void sessions.loadMore() }}>{screenWords.value.settings.olderChats}</Button></div>
        : null}
    </>
  )
}
