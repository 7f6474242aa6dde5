-- expand: an index alone, by which a sign-in asks whether any account knows its network.
create index known_networks_by_network on known_networks (network, last_sign_in_at);
