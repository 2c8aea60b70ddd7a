import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const compact = formatter(() => new Intl.NumberFormat('ja', { notation: 'compact', maximumFractionDigits: 1 }))

export const bar: Words['bar'] = {
  more: {
    label: 'ファイルなどを追加',
    goal: { text: 'ゴールを目指す', note: 'ゴールに達するまで、エージェントがターンを繰り返します。' },
    btw: { text: 'ついでに質問', note: 'すぐ返る回答は、チャットには残りません。' },
    background: { text: 'バックグラウンドで実行', note: '別のタスクです。その間もここで続けられます。' },
    attempts: { text: '複数回試す…', note: '同じタスクを複数のワークツリーで行い、最もよい結果を採用します。' },
    worktree: { text: 'git worktree で作業', note: '新しいチャットは、新しいブランチにリポジトリの専用コピーを持ちます。' },
    all: 'すべてのコマンド'
  },
  getKey: 'キーを取得…',
  effortTitle: '思考レベル',
  effort: (effort) => ({
    '': '標準レベル', none: '思考なし', minimal: '最小', low: '低', medium: '中', high: '高', xhigh: '非常に高い', max: '最大'
  }[effort] ?? effort),
  effortBrief: (effort) => ({
    '': '標準', none: 'なし', minimal: '最小', low: '低', medium: '中', high: '高', xhigh: '非常に高い', max: '最大'
  }[effort] ?? effort),
  effortSet: (effort) => `思考レベル：${effort}`,
  personality: 'パーソナリティ',
  noPersonality: 'パーソナリティなし',
  scopes: { turn: 'ターンごと', session: 'チャットごと', day: '1 日ごと' },
  usd: dollarsIn('ja'),
  demo: 'オフラインデモ',
  short: (count) => compact.format(count)
}
