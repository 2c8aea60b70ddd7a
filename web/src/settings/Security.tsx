import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { api, forgetHere, signIn } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { places } from '../shell/places.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Switch } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { changeAccess } from './access.js'
import { Loaded } from './Loaded.js'
import { Passkeys } from './Passkeys.js'
import { PasswordDialog, type PasswordChange } from './PasswordDialog.js'
import { serviceSettings } from './store.js'

/** The ways to sign in. */
export function Security () {
  return <Loaded of={serviceSettings} lines={6}>{(settings) => <Gate settings={settings} />}</Loaded>
}

function Gate ({ settings }: { settings: Wire<'Settings'> }) {
  const [change, setChange] = useState<PasswordChange | null>(null)
  const w = screenWords.value.settings
  const {
    auth_enabled: isGated, password_auth_enabled: hasPassword, password_env_var: isPinned, oidc_enabled: hasOidc,
    oidc_name: oidcName
  } = settings
  const isSet = hasPassword || settings.passwordless_enabled
  const signOut = async (): Promise<void> => {
    if (!await attempt(async () => await api.post('/api/auth/logout'))) return
    await forgetHere()
    signIn()
  }
  return (
    <>
      <p class='settings-note'>{isGated ? w.gate.closed : w.gate.open}</p>
      {isGated
        ? null
        : <Switch
            label={w.gate.acknowledge} checked={settings.auth_disabled_acknowledged}
            onChecked={(isKnown) => { void attempt(async () => await changeAccess({ _auth_disabled_acknowledged: isKnown })) }}
          />}
      <h3>{w.gate.password}</h3>
      {isPinned
        ? <p class='settings-note'>{w.gate.pinned}</p>
        : (
          <div class='settings-actions'>
            <Button kind={isSet ? 'plain' : 'primary'} onClick={() => setChange(isSet ? 'change' : 'set')}>
              {isSet ? w.gate.change : w.gate.set}
            </Button>
            {isSet ? <Button kind='danger' onClick={() => setChange('clear')}>{w.gate.clear}</Button> : null}
          </div>
          )}
      <Passkeys settings={settings} />
      <h3>{w.oidc.title}</h3>
      <p class='settings-note'>{hasOidc ? w.oidc.on(oidcName ?? w.oidc.title) : w.oidc.off}</p>
      <h3>{w.rules}</h3>
      <p class='settings-note'><Link href={`${places.settings}/grants`}>{w.rulesNote}</Link></p>
      {settings.logged_in
        ? (
          <>
            <h3>{w.gate.signOut}</h3>
            <p class='settings-note'>{w.gate.signOutNote}</p>
            <div><Button onClick={() => { void signOut() }}>{w.gate.signOut}</Button></div>
          </>
          )
        : null}
      {change === null ? null : <PasswordDialog change={change} onClose={() => setChange(null)} />}
    </>
  )
}
