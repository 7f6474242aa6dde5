/** Domains at which anyone gets a mailbox, with all that is below them. */
export const mailProviders: ReadonlySet<string> = new Set(
  `126.com 139.com 163.com 189.cn 21cn.com abv.bg aim.com alice.it aol.com aol.co.uk aol.de aol.fr arcor.de arnet.com.ar att.net
  atlas.cz autistici.org bellsouth.net bigpond.com bigpond.net.au bk.ru blueyonder.co.uk bluewin.ch bol.com.br btinternet.com
  centrum.cz charter.net comcast.net cox.net cock.li daum.net disroot.org duck.com earthlink.net email.cz email.it email.com
  excite.com fastmail.com fastmail.fm fibertel.com.ar foxmail.com free.fr freemail.hu freenet.de frontier.com gmail.com
  gmx.at gmx.ch gmx.com gmx.de gmx.es gmx.fr gmx.net gmx.us googlemail.com hanmail.net hey.com hotmail.be hotmail.ca
  hotmail.ch hotmail.cl hotmail.co.jp hotmail.co.th hotmail.co.uk hotmail.com hotmail.com.ar hotmail.com.br hotmail.com.mx
  hotmail.com.tr hotmail.de hotmail.dk hotmail.es hotmail.fi hotmail.fr hotmail.gr hotmail.hu hotmail.it hotmail.nl hotmail.no
  hotmail.se hushmail.com icloud.com ig.com.br inbox.com inbox.lv inbox.ru infomaniak.com interia.pl iol.it juno.com kakao.com
  keemail.me kolabnow.com laposte.net libero.it list.ru live.at live.be live.ca live.cl live.co.uk live.com live.com.ar
  live.com.au live.com.mx live.com.pt live.de live.dk live.fi live.fr live.in live.it live.jp live.nl live.no live.se lycos.com
  mac.com mail.bg mail.com mail.de mail.ee mail.ru mailbox.org mailfence.com mailo.com me.com msn.com mynet.com nate.com
  naver.com netscape.net neuf.fr ntlworld.com o2.pl oi.com.br onet.eu onet.pl online.no op.pl optonline.net optusnet.com.au
  orange.fr outlook.at outlook.be outlook.cl outlook.co.id outlook.co.th outlook.com outlook.com.ar outlook.com.au
  outlook.com.br outlook.com.gr outlook.com.tr outlook.com.vn outlook.cz outlook.de outlook.dk outlook.es outlook.fr
  outlook.hu outlook.ie outlook.in outlook.it outlook.jp outlook.kr outlook.lv outlook.my outlook.ph outlook.pt outlook.sa
  outlook.sg outlook.sk passport.com pm.me pobox.com posteo.de posteo.net post.cz prodigy.net.mx proton.me protonmail.ch
  protonmail.com qq.com r7.com rambler.ru rediffmail.com riseup.net rocketmail.com rogers.com runbox.com sapo.pt sbcglobal.net
  seznam.cz sfr.fr shaw.ca sina.cn sina.com sina.com.cn sky.com sohu.com speedy.com.ar startmail.com sympatico.ca t-online.de
  talktalk.net telenet.be telefonica.net telia.com telus.net terra.com.br terra.es tin.it tiscali.co.uk tiscali.it tlen.pl
  tom.com tuta.com tuta.io tutamail.com tutanota.com tutanota.de ukr.net uol.com.br verizon.net videotron.ca virgilio.it
  virgin.net virginmedia.com vivaldi.net vodafone.de vp.pl walla.co.il wanadoo.es wanadoo.fr web.de windowslive.com wp.pl
  xtra.co.nz ya.ru yahoo.at yahoo.be yahoo.ca yahoo.cl yahoo.co.id yahoo.co.il yahoo.co.in yahoo.co.jp yahoo.co.kr yahoo.co.nz
  yahoo.co.th yahoo.co.uk yahoo.co.za yahoo.com yahoo.com.ar yahoo.com.au yahoo.com.br yahoo.com.co yahoo.com.hk yahoo.com.mx
  yahoo.com.my yahoo.com.pe yahoo.com.ph yahoo.com.sg yahoo.com.tr yahoo.com.tw yahoo.com.vn yahoo.cz yahoo.de yahoo.dk
  yahoo.es yahoo.fi yahoo.fr yahoo.gr yahoo.hu yahoo.ie yahoo.in yahoo.it yahoo.nl yahoo.no yahoo.pl yahoo.pt yahoo.ro yahoo.se
  yandex.by yandex.com yandex.com.tr yandex.kz yandex.ru yandex.ua yeah.net ymail.com zipmail.com.br zoho.com zoho.eu
  zohomail.com zohomail.eu zonnet.nl`
    .trim()
    .split(/\s+/),
)
