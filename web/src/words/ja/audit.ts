import { type Words } from '../en/index.js'

export const audit: Words['audit'] = {
  note:
    '誰がサインインし、何が許可、変更、削除、エクスポート、共有されたかの記録です。記録は変更できません。管理者が別の期間を設定していなければ、1 年間保存されます。',
  search: '詳細、名前、アドレスを検索',
  kind: '種類',
  all: 'すべて',
  groups: {
    attempts: '試行', check: 'チェック', pull: 'プルリクエスト', hook: 'フック', plan: '計画', mode: '計画モード',
    auth: 'サインインとパスワード', passkey: 'パスキー', device: 'デバイスとトークン', pairing: 'ペアリング', approval: '許可',
    question: '質問', grant: '常に有効なルール', yolo: '確認なしの実行', settings: '設定', config: '構成',
    key: 'キー', mcp: 'MCP サーバー', plugin: 'プラグイン', skill: 'スキル', memory: 'メモリ', profile: 'プロファイル', job: 'タスク',
    session: 'チャット', project: 'プロジェクト', share: '共有ページ', file: 'ファイル', trash: 'ゴミ箱', checkpoint: 'チェックポイント', git: 'Git',
    backup: 'バックアップ', update: '更新', machine: 'マシン', audit: 'この記録'
  },
  find: '検索',
  none: '記録はありません。',
  older: '以前の記録を表示',
  csv: 'CSV でエクスポート',
  ndjson: 'NDJSON でエクスポート',
  open: 'サービスに接続できる全員',
  actors: { person: 'サインイン済み', device: 'デバイス', nobody: '未サインイン', agent: 'エージェント', service: 'サービス', console: 'コマンドライン' },
  outcomes: { failed: '失敗', throttled: '試行回数超過' }
}
