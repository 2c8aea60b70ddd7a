import { type Words } from '../en/index.js'

export const audit: Words['audit'] = {
  note:
    '誰がサインインし、何が許可、変更、削除、エクスポート、共有されたかの記録です。記録は変更できません。管理者が別の期間を設定していなければ、1 年間保存されます。',
  search: 'ログを検索',
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
  actions: {
    switchedOn: 'オンに切り替え', switchedOff: 'オフに切り替え',
    sign_in: 'サインイン', sign_out: 'サインアウト', password: 'パスワードを設定または削除', passwordless: 'パスワードなしのサインインを切り替え', open_acknowledged: '公開状態を確認',
    registered: '登録', renamed: '名前を変更', deleted: '削除', created: '作成', revoked: '取り消し', begun: 'コードを作成', ended: 'キャンセル',
    completed: '完了', answered: '回答', added: '追加', removed: '解除', switched: 'オン／オフを切り替え', started: '開始', changed: '変更', set: '設定',
    server: '追加・変更・削除', saved: '保存', imported: 'インポート', import_undone: 'インポートを取り消し', cut: '末尾のメッセージを削除', exported: 'エクスポート',
    attached: 'ここで続行', restored: '復元', discarded: '変更を破棄', pushed: 'プッシュ', taken: '適用', taken_back: '適用を取り消し', stopped: '停止',
    opened: '作成', ready: 'レビュー可能に変更', commented: 'コメント', resolved: 'スレッドを解決または再開', merged: 'マージ', closed: 'クローズ', applied: 'インストール',
    joined: '参加', left: '離脱', forgotten: '一覧から削除', trimmed: '古い記録を削除'
  },
  said: (group, action) => `${group}：${action}`,
  when: '日時',
  who: '実行者',
  none: '記録はありません。',
  older: '以前の記録を表示',
  csv: 'CSV でエクスポート',
  ndjson: 'NDJSON でエクスポート',
  open: 'サービスに接続できる全員',
  actors: { person: 'サインイン済み', device: 'デバイス', nobody: '未サインイン', agent: 'エージェント', service: 'サービス', console: 'コマンドライン' },
  outcomes: { failed: '失敗', throttled: '試行回数超過' }
}
