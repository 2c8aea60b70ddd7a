import { CopyButton } from '../ui/CopyButton.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { screenWords } from '../words/index.js'
import { addressOf, isNear, keepSecret, secrets, type Hook } from './hooks.js'
import { type Sender } from './senders.js'

/** The address of a hook, its secret the one time that it is shown, and the values to enter at the sender. */
export function Connect ({ hook, sender }: { hook: Hook, sender: Sender }) {
  const w = screenWords.value.hooks
  const address = addressOf(hook)
  const secret = secrets.value.get(hook.id)
  return (
    <div class='task-card hook-connect'>
      <Line label={w.address} text={address} />
      {isNear(address) ? <p class='field-hint'>{w.near}</p> : null}
      {secret === undefined
        ? null
        : (
          <div class='hook-secret' role='status'>
            <Line label={w.secret} text={secret} />
            <p>{w.once} <Button size='small' onClick={() => keepSecret(hook.id, null)}>{w.kept}</Button></p>
          </div>
          )}
      <Disclosure summary={w.howTo(w.senders[sender])} open={secret === undefined ? undefined : true}>
        <ol class='hook-steps'>{w.steps[sender].map((step) => <li key={step}>{step}</li>)}</ol>
        {sender === 'json' ? <Command address={address} /> : null}
      </Disclosure>
    </div>
  )
}

const Line = ({ label, text }: { label: string, text: string }) =>
  <div class='hook-line'>
    <span class='field-label'>{label}</span>
    <code dir='ltr'>{text}</code>
    <CopyButton size='small' text={text} label={`${screenWords.value.hooks.copy}: ${label}`} />
  </div>

/** A call from a terminal that signs its content. */
function Command ({ address }: { address: string }) {
  const text = [
    "body='{\"event\":\"form.sent\",\"message\":\"Hello\"}'",
    'signature=$(printf %s "$body" | openssl dgst -sha256 -hmac "$SECRET" | sed "s/.* //")',
    `curl -sS '${address}' -H 'Content-Type: application/json' -H "X-Hub-Signature-256: sha256=$signature" -d "$body"`
  ].join('\n')
  return (
    <div class='hook-command'>
      <pre tabIndex={0} aria-label={screenWords.value.hooks.command}><code>{text}</code></pre>
      <CopyButton size='small' text={text} />
    </div>
  )
}
