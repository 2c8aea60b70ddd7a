// Signs in with a passkey, using the browser's own WebAuthn support.

/** Whether this browser supports passkeys and the page may use them: over TLS, or on localhost. */
export function canUsePasskeys () {
  return window.PublicKeyCredential !== undefined && navigator.credentials !== undefined
}

/** Asks the authenticator, then the service. Resolves with a message, or null if it worked. `explain` says why the service refused. */
export async function signInWithPasskey ({ words, explain }) {
  try {
    const options = await post('/api/auth/passkey/options', {})
    if (!options.ok) return await explain(options, words.refused)
    const { publicKey } = await options.json()
    const credential = await navigator.credentials.get({ publicKey: withBytes(publicKey) })
    const { clientDataJSON, authenticatorData, signature, userHandle } = credential.response
    const answer = await post('/api/auth/passkey/login', {
      id: credential.id,
      rawId: toBase64url(credential.rawId),
      type: credential.type,
      response: {
        clientDataJSON: toBase64url(clientDataJSON),
        authenticatorData: toBase64url(authenticatorData),
        signature: toBase64url(signature),
        userHandle: userHandle === null ? null : toBase64url(userHandle)
      }
    })
    return answer.ok ? null : await explain(answer, words.refused)
  } catch (error) {
    // The browser reports the same error if nobody touched the authenticator, and if it has no passkey for this service.
    return error instanceof DOMException ? words.noPasskey : words.unreachable
  }
}

const post = (path, body) =>
  window.fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })

/** Decodes the base64url fields that the browser expects as bytes. */
function withBytes ({ challenge, allowCredentials, ...rest }) {
  return { ...rest, challenge: toBytes(challenge), allowCredentials: allowCredentials.map(({ type, id }) => ({ type, id: toBytes(id) })) }
}

function toBytes (text) {
  return Uint8Array.from(window.atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
}

function toBase64url (buffer) {
  return window.btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
