import {
  isLoopbackAddress,
  isPublicAddress,
  literalAddress,
} from '../../src/tools/web/public-address';

test.each([
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '203.0.113.7',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '100::1',
  'no address',
  '',
])('%p is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  '1.1.1.1',
  '93.184.216.34',
  '172.15.0.1',
  '172.32.0.1',
  '2606:4700:4700::1111',
  '::ffff:1.1.1.1',
  '64:ff9b::101:101',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ['127.8.9.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['0.0.0.0', false],
])('%s is loopback: %s', (address, isLoopback) => {
  expect(isLoopbackAddress(address)).toBe(isLoopback);
});

// What the URL standard makes of addresses in disguise.
test.each(['http://2130706433/', 'http://0x7f.1/', 'http://017700000001/', 'http://127.1/'])(
  '%s spells out an address that is found',
  (url) => {
    expect(literalAddress(new URL(url).hostname)).toBe('127.0.0.1');
  },
);

test('an address in brackets is one, a name is none', () => {
  expect(literalAddress('[::1]')).toBe('::1');
  expect(literalAddress('example.com')).toBeNull();
});
