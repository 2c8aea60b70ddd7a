import { type Words } from '../en/index.js'

export const agents: Words['agents'] = {
  none: 'エージェントは設定されておらず、このマシンでも見つかりませんでした。設定方法はドキュメントの「Agents」にあります。',
  installable: (count) => `インストールできるエージェント：${count} 件`,
  installableNote:
    'エージェントの公開レジストリにあるものです。このサービスのマシンで、サービスのユーザーとして行を実行してください。サービスは何もインストールしません。エージェントの下の行は config.yaml に書きます。',
  proprietary: 'プロプライエタリ',
  page: '詳細',
  copyInstall: 'インストールの行をコピー',
  copySetup: 'config.yaml 用の行をコピー',
  asks: '動作の前に確認する',
  mayAct: '確認なしで動作できる',
  blocked: 'まだ動作しません',
  unreached: '一度起動するとモードが表示されます。',
  look: '起動',
  noModes: 'モードはありません。',
  modeAsks: '動作の前に確認します。',
  modeOff: 'オフ：確認なしで動作する可能性があります。',
  modeOn: '許可済み：確認なしで動作できます。',
  any: 'すべてのモード',
  anyNote: '今後追加されるモードや、モードがない場合も含みます。',
  allow: '許可',
  takeBack: '取り消す',
  allowTitle: (agent, mode) => `${agent} が「${mode}」で確認なしに動作することを許可しますか？`,
  anyTitle: (agent) => `${agent} がすべてのモードで確認なしに動作することを許可しますか？`,
  allowNote:
    'ファイルの変更や削除、プログラムの実行、任意の宛先へのデータ送信が、サンドボックスの許す範囲で、サンドボックスがなければこのサービスを実行するユーザーの権限で可能になります。' +
    '事前の確認や表示は一切ありません。取り消すまで、このプロファイルのすべてのチャットに適用されます。',
  deed: '確認なしの動作を許可',
  allowed: (agent, mode) => `${agent} は次のターンから「${mode}」で確認なしに動作できます。`,
  anyAllowed: (agent) => `${agent} は次のターンからすべてのモードで確認なしに動作できます。`,
  takenBack: (agent) => `${agent} への許可を次のターンから取り消します。`,
  sandbox: 'サンドボックス',
  inside: 'サンドボックスを使う',
  outside: 'サンドボックスの外で実行',
  outsideTitle: (agent) => `${agent} をサンドボックスの外で実行しますか？`,
  outsideNote:
    'このサービスのユーザーができることすべて、つまりキー、他のフォルダー、実行中のプログラム、このマシンとそのネットワークで待ち受けているものの' +
    '読み取りと変更が可能になります。確認するとわかっているモードでは、引き続き動作の前に確認します。',
  isInside: (agent) => `${agent} は次のターンからサンドボックスを使います。`,
  isOutside: (agent) => `${agent} は次のターンからサンドボックスの外で動作します。`
}
