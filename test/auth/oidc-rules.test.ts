import t from '#test'
import { judgeOidcClaims, parseOidcRule } from '../../services/areas/auth/oidc-rules.js'

t.test('an e-mail address counts only where the issuer vouches for it, however it is asked for', async (t) => {
  const rule = parseOidcRule('claim:email=you@example.org')!
  t.equal(judgeOidcClaims([rule], { sub: 'x', email: 'you@example.org' }), 'unverified')
  t.equal(judgeOidcClaims([rule], { sub: 'x', email: 'you@example.org', email_verified: true }), 'in')
  t.equal(parseOidcRule('claim:email=nobody'), null)
  t.same(parseOidcRule('claim:groups=a=b'), { kind: 'claim', name: 'groups', value: 'a=b' })
})
