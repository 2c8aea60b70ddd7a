import { PageHeader } from '../shell/Page.js'
import { sessions } from '../app.js'
import { words } from '../words/index.js'

/** A chat, or an empty page for a new one. */
export function ConversationScreen ({ params: { id } }: { params: Record<string, string> }) {
  const row = id === undefined ? undefined : sessions.row(id)
  return <PageHeader title={row?.title ?? words.value.shell.untitled} />
}
